// The JSON module reads, writes and checks JSON texts (RFC 8259) as bytes, without Foundation and
// without building trees. `JSONReader` pulls values out of a body and refuses everything that two
// readers could understand in different ways; `JSONWriter` appends to a buffer; `JSONSchema`
// describes a body or an answer, is published in OpenAPI, and becomes a `JSONValidator` that
// checks a body in one pass. The happy path keeps no field path: `FieldPath` finds the path of an
// error afterwards by reading the text again.
