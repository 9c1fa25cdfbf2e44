import EventLoop

/// Answers that are kept for moments, by question.
///
/// They stand in two generations: a new one goes into the younger; once that is half of what there
/// may be, or old, it becomes the elder, and what was the elder is dropped as a whole. However many
/// different questions come, memory is bounded, and an answer that is asked for often, which is
/// made anew several times a second, is in the younger again at once.
package struct AnswerTable {
  private struct Generation {
    var answers: [[UInt8]: KeptAnswer] = [:]
    private(set) var bytes = 0

    mutating func insert(_ answer: KeptAnswer, for question: [UInt8]) {
      remove(question)
      answers[question] = answer
      bytes += answer.bytes + question.count
    }

    mutating func remove(_ question: [UInt8]) {
      guard let answer = answers.removeValue(forKey: question) else { return }
      bytes -= answer.bytes + question.count
    }
  }

  private let bytesMax: Int
  private var younger = Generation()
  private var elder = Generation()

  /// An empty table of so many bytes at most.
  package init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The memory that is taken.
  package var bytes: Int { younger.bytes + elder.bytes }

  /// The answer to give; nil where a replica is to be asked.
  ///
  /// Only an answer since whose question nothing has changed is given. Of those who ask once it is
  /// no longer fresh the first one gets nil, and is to make it anew; the others get it meanwhile.
  package mutating func find(
    _ question: [UInt8], change: UInt64, at now: MonotonicInstant
  ) -> KeptAnswer? {
    guard let answer = younger.answers[question] ?? elder.answers[question] else { return nil }
    guard answer.change == change, now < answer.staleUntil else {
      remove(question)
      return nil
    }
    if now < answer.freshUntil || answer.isBeingRefreshed { return answer }
    answer.isBeingRefreshed = true
    return nil
  }

  /// Keeps an answer, unless one is here that was asked for later.
  package mutating func keep(_ answer: KeptAnswer, for question: [UInt8]) {
    let known = younger.answers[question] ?? elder.answers[question]
    if let known, known.askedAt > answer.askedAt { return }
    elder.remove(question)
    if younger.bytes + answer.bytes + question.count > bytesMax / 2 { age() }
    younger.insert(answer, for: question)
  }

  /// Drops the answer that a question asked at that time was to make anew, and did not.
  package mutating func drop(_ question: [UInt8], askedAt: MonotonicInstant) {
    let known = younger.answers[question] ?? elder.answers[question]
    guard let known, known.askedAt < askedAt else { return }
    remove(question)
  }

  /// Drops the elder generation, and begins a new one.
  package mutating func age() {
    elder = younger
    younger = Generation()
  }

  private mutating func remove(_ question: [UInt8]) {
    younger.remove(question)
    elder.remove(question)
  }
}
