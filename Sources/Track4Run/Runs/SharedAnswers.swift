import HTTP
import Services

/// Answers to one question that many ask at once. For its loop.
///
/// Whoever asks while an answer is being made waits for the next one, which all who wait share:
/// nobody is answered from a reading that began before the question, so that who has changed
/// something sees it, and however many ask, one reading at a time is made.
package final class SharedAnswers {
  /// What becomes of who waits.
  private enum Turn {
    /// To make the answer for oneself and these.
    case make(for: [Waiting])
    case take(Result<[UInt8], ApplicationError>)
  }
  private typealias Waiting = CheckedContinuation<Turn, Never>

  /// Who waits for the next answer, by the questions of which one is being made.
  private var waiting: [[UInt8]: [Waiting]] = [:]

  /// Answers to nothing yet.
  package init() {}

  /// The answer to a question, made by `make` or shared; questions that are written differently are
  /// different ones.
  ///
  /// - Throws: What making it threw.
  package func answer(
    to question: [UInt8], _ make: () async throws(ApplicationError) -> [UInt8]
  ) async throws(ApplicationError) -> [UInt8] {
    var others: [Waiting] = []
    if waiting[question] == nil {
      waiting[question] = []
    } else {
      switch await withCheckedContinuation({ waiting[question]?.append($0) }) {
      case .take(let made): return try made.get()
      case .make(let waiting): others = waiting
      }
    }
    let made: Result<[UInt8], ApplicationError>
    do throws(ApplicationError) { made = .success(try await make()) } catch {
      made = .failure(error)
    }
    for other in others { other.resume(returning: .take(made)) }
    passOn(question)
    return try made.get()
  }

  /// Lets the first one who waits make the next answer.
  private func passOn(_ question: [UInt8]) {
    guard let next = waiting[question], let first = next.first else {
      waiting[question] = nil
      return
    }
    waiting[question] = []
    first.resume(returning: .make(for: Array(next.dropFirst())))
  }
}
