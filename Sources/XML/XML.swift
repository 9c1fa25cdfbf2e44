// XML: reads documents in pieces of any size through expat, in constant memory. Documents that
// define entities, refer to external resources or use an encoding other than UTF-8 are refused. The
// caller sets the limits on a document's size and handles its elements.
