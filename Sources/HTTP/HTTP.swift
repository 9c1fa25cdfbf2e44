// HTTP: messages kept as bytes, the HTTP/1.1 and HTTP/2 engines as pure state machines, and thin
// shells that run them on an `EventLoop`. Its interface consists of synchronous streams
// (`RequestHandler`/`ServerStream` and `ResponseHandler`/`ClientStream`): the gateway forwards
// bytes between two sockets through them without a task, a string or a dictionary, and Web builds
// the routes of the services on them. Engines never access a socket: the shell passes them received
// bytes and sends their output, once per turn of the loop. An engine refuses a malformed request
// with a `Problem`, the only type that assigns a status to an error; Web and its callers throw it.
