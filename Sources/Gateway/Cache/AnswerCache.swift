import EventLoop
import HTTP

/// The answers that one loop keeps for moments: those that everybody gets alike (decision 0012).
/// Nothing is shared between loops but the count of changes. For its loop.
package final class AnswerCache {
  /// Bytes of kept answers at most.
  package static let bytesMax = 16 * 1024 * 1024
  /// Bytes of large answers that are gathered at once at most.
  package static let gatheredBytesMax = 4 * 1024 * 1024
  /// Up to here an answer is a small one, which no client makes the replica wait with: it is
  /// gathered in no time.
  package static let smallBytesMax = 64 * 1024

  private let loop: EventLoop
  private let changes: ChangeCounter
  /// After how long the younger generation of answers becomes the elder.
  private let generation: Duration
  private var table = AnswerTable(bytesMax: bytesMax)
  private var gatheredBytes = 0
  private var timer: LoopTimer?

  /// A cache that holds nothing, for answers that are kept so long at most.
  package init(_ changes: ChangeCounter, keptForMax: Duration, on loop: EventLoop) {
    self.changes = changes
    self.loop = loop
    // None is given after twice that time.
    generation = keptForMax * 2
  }

  /// The memory that kept answers take.
  package var bytes: Int { table.bytes }

  /// What is to be done with a question.
  package enum Finding {
    /// It has this answer.
    case answer(KeptAnswer)
    /// A replica is asked, and its answer is gathered.
    case fill(AnswerFill)
  }

  /// The answer to a question, or what makes it.
  package func find(_ question: [UInt8], keptFor: Duration) -> Finding {
    let change = changes.value
    if let answer = table.find(question, change: change, at: loop.now) { return .answer(answer) }
    return .fill(AnswerFill(question, at: loop.now, change: change, keptFor: keptFor))
  }

  /// Begins to gather an answer; false if it is not to be kept, or too many are gathered.
  package func begin(_ fill: AnswerFill, _ head: borrowing ResponseHead) -> Bool {
    guard let bytes = AnswerFill.bytes(of: head) else { return false }
    let room = Self.room(for: bytes)
    guard gatheredBytes + room <= Self.gatheredBytesMax else { return false }
    gatheredBytes += room
    fill.begin(head, bytes: bytes)
    return true
  }

  /// Ends a fill: keeps its answer if that is whole and nothing has changed since it was asked for,
  /// else drops the one that it was to replace.
  package func end(_ fill: AnswerFill) {
    gatheredBytes -= Self.room(for: fill.bytesExpected)
    guard let answer = fill.answer, fill.change == changes.value else {
      return table.drop(fill.question, askedAt: fill.askedAt)
    }
    table.keep(answer, for: fill.question)
    planAgeing()
  }

  private static func room(for bytes: Int) -> Int { bytes > smallBytesMax ? bytes : 0 }

  /// Drops everything.
  package func stop() {
    timer?.cancel()
    timer = nil
    table = AnswerTable(bytesMax: Self.bytesMax)
  }

  private func planAgeing() {
    guard timer == nil, table.bytes > 0 else { return }
    timer = loop.schedule(after: generation) { [self] in
      timer = nil
      table.age()
      planAgeing()
    }
  }
}
