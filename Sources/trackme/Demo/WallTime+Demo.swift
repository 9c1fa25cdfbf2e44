import Domain
import EventLoop

extension WallTime {
  /// The same moment as the domain counts.
  var demoTimestamp: Timestamp { Timestamp(millisecondsSince1970: millisecondsSince1970) }
}
