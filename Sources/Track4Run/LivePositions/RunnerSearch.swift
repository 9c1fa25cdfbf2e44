import Domain
import EventLoop
import HTTP
import Services

/// Finds the runners of a run whom somebody knows (RUN-7).
///
/// Nothing is given back that was not known: a runner who was found by email or fiscal code is
/// called by just that, without number or name. Who is not in the run, and who does not want to be
/// found, are the same as who does not exist.
package struct RunnerSearch: Sendable {
  /// Whose account an email or fiscal code is; nil of nobody's.
  package typealias Find =
    @Sendable (SingleRequestAddressee) async throws(Problem) -> AccountID?

  private let limit: GuessLimit
  private let find: Find

  /// A search that asks `find`; one for all loops of a process, since it counts.
  init(limit: GuessLimit, find: @escaping Find) {
    self.limit = limit
    self.find = find
  }

  /// The runners of a frame who are sought, each once, in the order of the question.
  ///
  /// - Throws: 429 for too many different questions of one address, 503.
  func runners(
    _ sought: [SoughtRunner], in frame: LiveFrame, from address: String,
    at now: MonotonicInstant
  ) async throws(Problem) -> [(standing: LiveStanding, name: String?)] {
    if let wait = limit.take(sought, in: frame.row.runID, from: address, at: now) {
      throw .tooManyRequests(retryAfter: Int(wait / .seconds(1)) + 1)
    }
    var found: [(standing: LiveStanding, name: String?)] = []
    for one in sought {
      switch one {
      case .name(let name):
        found += frame.standings.filter {
          $0.entry.isFindable && SoughtRunner.isName(name, of: $0.entry.name)
        }.map { ($0, nil) }
      case .known(let known):
        guard let account = try await find(known),
          let standing = frame.standings.first(where: { $0.entry.account == account }),
          standing.entry.isFindable
        else { continue }
        found.append((standing, one.text))
      }
    }
    return found
  }
}
