// The JSON module reads, writes and checks JSON texts (RFC 8259) as bytes, without Foundation and
// without building trees. `JSONReader` reads the values of a body in sequence, and refuses texts
// that two parsers could interpret differently. `JSONWriter` appends to a buffer. `JSONSchema`
// describes a body or a response; it is published in OpenAPI, and compiled to a `JSONValidator`
// that checks a body in one pass. Valid texts cost no field path: `FieldPath` finds the path of an
// error afterwards by reading the text again.
