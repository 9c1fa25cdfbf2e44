import Accounts
import Data4Help
import Domain
import PublicAPI
import Support
import Testing

/// Notices and events in the stage of single requests.
extension SingleRequestStage {
  /// A page of a third party's sequence.
  package func eventPage(
    since: Int = 0, by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(.thirdPartyEvents, query: "since=\(since)", by: company, .thirdParty)
  }

  /// The notices of an account.
  package func notices(
    of account: AccountID, _ kind: AccountKind, _ query: String = ""
  ) async throws -> Reply {
    try await call(.notices, query: query, by: account, kind)
  }

  /// The notices of an account, newest first.
  package func noticeData(_ account: AccountID, _ kind: AccountKind) async throws -> [[String: Any]]
  {
    try await call(.notices, by: account, kind).list("items")
      .map { $0["data"] as? [String: Any] ?? $0 }
  }

  /// Waits until the notices up to this number are recorded as sent on a stream.
  package func waitUntilPushed(_ number: Int) async throws {
    try await eventually("notice \(number) on a stream", within: .seconds(120)) {
      try cell("SELECT max(pushed) FROM data4help.notice_heads") == number.description
    }
  }

  package func noticeMails() throws -> NoticeMails {
    let settings = try #require(
      AuthenticationSettings(
        publicURL: "https://trackme.example", sessionIdle: .seconds(60), sessionMax: .seconds(60)))
    return NoticeMails(
      parts.dependencies.accounts, settings, requests: parts.dependencies.noticeRequests)
  }
}
