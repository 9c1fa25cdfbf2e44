// Time: the types of time that all modules share. An `Instant` is civil time and writes itself as
// RFC 3339; a `MonotonicInstant` is for time-outs and measurements. The clocks that return them are
// in `EventLoop`, and the calendar and the parsers are in `Domain`. It reads no clock and keeps no
// state.
