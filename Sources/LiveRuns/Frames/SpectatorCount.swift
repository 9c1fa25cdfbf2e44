import Synchronization
import Time

/// The number of spectators of a run, without anything about them (RUN-15). Shared by the loops of
/// a process.
final class SpectatorCount: Sendable {
  /// How long an inactive run is followed after the last request for it.
  static let interest = Duration.seconds(60)

  private let streamCount = Atomic<Int>(0)
  private let askedAt: Atomic<Int64>

  /// Creates the count of a run requested now.
  init(at now: MonotonicInstant) { askedAt = Atomic(now.nanoseconds) }

  /// The number of open streams in this process.
  var streams: Int { streamCount.load(ordering: .relaxed) }

  /// Records a request for the run.
  func ask(at now: MonotonicInstant) { askedAt.store(now.nanoseconds, ordering: .relaxed) }

  /// Records the start of a stream.
  func enter() { streamCount.add(1, ordering: .relaxed) }

  /// Records the end of a stream.
  func leave() { streamCount.subtract(1, ordering: .relaxed) }

  /// Whether the run has open streams or was requested recently.
  func isInterested(at now: MonotonicInstant) -> Bool {
    streams > 0 || now.nanoseconds - askedAt.load(ordering: .relaxed) < Self.interestNanoseconds
  }

  /// The time of the last request, in nanoseconds; the oldest run is evicted first.
  var lastAsked: Int64 { askedAt.load(ordering: .relaxed) }

  private static let interestNanoseconds = interest.wholeNanoseconds
}
