// HTTP: messages kept as bytes, the HTTP/1.1 and HTTP/2 engines as pure state machines, and thin
// shells that run them on an `EventLoop`. There are two ways in. The synchronous streams
// (`RequestHandler`/`ServerStream` and `ResponseHandler`/`ClientStream`) carry the gateway: no
// task, no string and no dictionary stands between two sockets. The services use the layer above,
// `Router`, where a handler is an `async` function from `Request` to `Response` that throws a
// `Problem`, the only type that knows a status for an error. Engines never touch a socket: the
// shell feeds them what was read and sends what they wrote, once per turn of the loop.
