import EventLoop
import Synchronization

/// Who looks at a run, counted and no more (RUN-15). Shared by the loops of a process.
final class LiveAudience: Sendable {
  /// How long a run that is not on is followed after it was last asked for.
  static let interest = Duration.seconds(60)

  private let streamCount = Atomic<Int>(0)
  private let askedAt: Atomic<Int64>

  /// Somebody who asks now.
  init(at now: MonotonicInstant) { askedAt = Atomic(now.nanoseconds) }

  /// How many streams this process has open.
  var streams: Int { streamCount.load(ordering: .relaxed) }

  /// Somebody asks for the run.
  func ask(at now: MonotonicInstant) { askedAt.store(now.nanoseconds, ordering: .relaxed) }

  /// A stream begins.
  func enter() { streamCount.add(1, ordering: .relaxed) }

  /// A stream has ended.
  func leave() { streamCount.subtract(1, ordering: .relaxed) }

  /// Whether somebody watches or has asked lately.
  func isInterested(at now: MonotonicInstant) -> Bool {
    streams > 0 || now.nanoseconds - askedAt.load(ordering: .relaxed) < Self.interestNanoseconds
  }

  /// When somebody last asked, for choosing who makes way.
  var lastAsked: Int64 { askedAt.load(ordering: .relaxed) }

  private static let interestNanoseconds = interest.wholeNanoseconds
}
