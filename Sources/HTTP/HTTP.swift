// HTTP: messages kept as bytes, the HTTP/1.1 and HTTP/2 engines as pure state machines, and thin
// shells that run them on an `EventLoop`. It has two interfaces. The gateway uses the synchronous
// streams (`RequestHandler`/`ServerStream` and `ResponseHandler`/`ClientStream`), which forward
// bytes between two sockets without a task, a string or a dictionary. The services use the layer
// above, `Router`, where a handler is an `async` function from `Request` to `Response` that throws
// a `Problem`, the only type that assigns a status to an error. Engines never access a socket: the
// shell passes them received bytes and sends their output, once per turn of the loop.
