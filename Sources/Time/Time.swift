// Time: the types of time that all modules share. An `Instant` is civil time, a `MonotonicInstant`
// is for time-outs and measurements. The clocks that return them are in `EventLoop`, and the
// calendar is in `Domain`.
