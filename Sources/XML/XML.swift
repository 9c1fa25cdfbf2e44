// XML: documents read from pieces of any size through expat, in memory that does not grow with
// them. No document can define an entity, name anything outside of it, or be of another encoding
// than UTF-8; whoever reads says how large it may be, and what its elements are.
