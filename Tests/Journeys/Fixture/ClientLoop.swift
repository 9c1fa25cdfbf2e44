import EventLoop

/// The event loop for the clients of all journeys.
let clientLoop = Result { try EventLoop.start(name: "journeys") }
