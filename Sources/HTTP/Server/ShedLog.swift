import EventLoop
import Operations

/// Counts the responses that a loop resets at the limit of memory, and logs them: a line for the
/// first ones, then one a second with the sum of further ones.
package final class ShedLog {
  private static let every = Duration.seconds(1)

  private let log: Log
  private let counter: Counter?
  private let loop: EventLoop
  /// Responses and bytes since the last line; nil if none was written within the last second.
  private var unreported: (responses: Int, bytes: Int)?

  /// Creates a log of the resets on `loop`, which adds them to `counter`.
  package init(_ log: Log, _ counter: Counter?, on loop: EventLoop) {
    self.log = log
    self.counter = counter
    self.loop = loop
  }

  /// Records responses that were reset together, and the bytes freed.
  package func note(responses: Int, bytes: Int) {
    counter?.increment(by: UInt64(responses))
    if let sum = unreported {
      unreported = (sum.responses + responses, sum.bytes + bytes)
    } else {
      write(responses, bytes)
    }
  }

  private func write(_ responses: Int, _ bytes: Int) {
    unreported = (0, 0)
    log.warning(
      "responses were reset at the limit of memory",
      [.number("responses", responses), .number("bytes", bytes)])
    loop.schedule(after: Self.every) { [self] in report() }
  }

  private func report() {
    let sum = unreported
    unreported = nil
    if let sum, sum.responses > 0 { write(sum.responses, sum.bytes) }
  }
}
