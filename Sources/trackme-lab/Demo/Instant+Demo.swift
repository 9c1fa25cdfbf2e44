import Domain
import Time

extension Instant {
  /// The same instant as the domain's type.
  var demoTimestamp: Timestamp { Timestamp(millisecondsSince1970: millisecondsSince1970) }
}
