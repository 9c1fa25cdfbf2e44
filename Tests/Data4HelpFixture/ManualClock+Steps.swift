import Domain
import ServiceKit
import Support
import Time

extension ManualClock {
  package func advance(seconds: Int64) { advance(by: .seconds(seconds)) }

  package func advance(milliseconds: Int64) { advance(by: .milliseconds(milliseconds)) }

  /// Changes the current time to that of a text such as `2026-03-15T12:00:00Z`.
  package func move(to text: String) throws { set(try Instant(text)) }
}
