import Domain
import HTTP
import PublicAPI
import ServiceKit
import Time
import Web

/// Finds runners of a run whom a spectator knows (RUN-7).
///
/// The answer discloses nothing that the spectator did not know: a runner found by full name, email
/// or fiscal code is named by that, without number or chosen name. Runners of other runs, and those
/// who chose not to be found, are indistinguishable from unknown people.
package struct RunnerSearch: Sendable {
  /// The account of an email or fiscal code, on behalf of a request; nil if there is none.
  package typealias Find =
    @Sendable (SingleRequestAddressee, Request) async throws(ApplicationError) -> AccountID?

  /// The accounts among some with this full name, on behalf of a request.
  package typealias FindNamed =
    @Sendable (FullName, [AccountID], Request) async throws(ApplicationError) -> Set<AccountID>

  private let limit: GuessLimit
  private let find: Find
  private let findNamed: FindNamed

  /// Creates a search with `find` and `findNamed`; the loops of a process share one limit, which
  /// counts searches.
  init(limit: GuessLimit, find: @escaping Find, findNamed: @escaping FindNamed) {
    self.limit = limit
    self.find = find
    self.findNamed = findNamed
  }

  /// The searched runners of a frame, each once, in the order of the search.
  ///
  /// - Throws: `rateLimited` for too many different searches of one address, `unavailable`.
  func runners(
    _ sought: [SoughtRunner], in frame: LiveFrame, for request: Request, at now: MonotonicInstant
  ) async throws(ApplicationError) -> [(standing: LiveStanding, name: String?)] {
    let address = request.head.fields[.internalClient] ?? ""
    if let wait = limit.take(sought, in: frame.row.runID, from: address, at: now) {
      throw .rateLimited(retryAfter: Int(wait / .seconds(1)) + 1)
    }
    var found: [(standing: LiveStanding, name: String?)] = []
    for one in sought {
      switch one {
      case .name(let name):
        found += frame.standings.filter {
          $0.entry.isFindable && SoughtRunner.isName(name, of: $0.entry.name)
        }.map { ($0, nil) }
      case .fullName(let name):
        // Data4Help is asked only about runners who allow it, so that it hashes no other names.
        let candidates = frame.standings.filter {
          $0.entry.isFindable && $0.entry.isFindableByName
        }
        guard !candidates.isEmpty else { continue }
        let named = try await findNamed(name, candidates.map(\.entry.account), request)
        found += candidates.filter { named.contains($0.entry.account) }.map { ($0, one.text) }
      case .known(let known):
        guard let account = try await find(known, request),
          let standing = frame.standings.first(where: { $0.entry.account == account }),
          standing.entry.isFindable
        else { continue }
        found.append((standing, one.text))
      }
    }
    return found
  }
}
