// Web: the layer of the services above HTTP. A `Router` finds the `Route` of a request, whose
// handler is an `async` function from `Request` to `Response` that throws a `Problem`. A body is
// collected, or read in pieces; a response is sent whole, in pieces, or as server-sent events.
// Canonical paths, queries and percent coding are here for the gateway as well.
