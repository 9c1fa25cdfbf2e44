import ServiceKit

/// Shares one answer among concurrent equal requests. Confined to its loop.
///
/// A request that arrives while an answer is being created waits for the next one, which all
/// waiting requests share. No answer comes from a read that began before the request, so a client
/// that has changed something sees its change, and only one read runs at a time however many
/// clients ask.
package final class SharedAnswers {
  /// How a waiting request continues.
  private enum Turn {
    /// Create the answer for this request and the others.
    case make(for: [Waiting])
    case take(Result<[UInt8], ApplicationError>)
  }
  private typealias Waiting = CheckedContinuation<Turn, Never>

  /// The requests waiting for the next answer, by the questions whose answer is being created.
  private var waiting: [[UInt8]: [Waiting]] = [:]

  /// Creates an empty set of answers.
  package init() {}

  /// The answer to a question, made by `make` or shared; questions count as equal only if their
  /// bytes are.
  ///
  /// - Throws: the error of `make`.
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

  /// Lets the first waiting request create the next answer.
  private func passOn(_ question: [UInt8]) {
    guard let next = waiting[question], let first = next.first else {
      waiting[question] = nil
      return
    }
    waiting[question] = []
    first.resume(returning: .make(for: Array(next.dropFirst())))
  }
}
