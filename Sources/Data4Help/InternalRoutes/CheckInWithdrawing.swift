import Accounts
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Sharing
import Time

/// Withdraws check-in requests: a runner has left or was removed, the run was cancelled or moved.
struct CheckInWithdrawing: Sendable {
  let environment: Environment
  let database: Database
  let notices: Notices
  let events: ThirdPartyEvents

  /// Withdraws those of the requests that are not over. Track4Run finds the ends in its sequence,
  /// and people who had accepted are notified.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func withdraw(_ ends: CheckInEnds) async throws(ApplicationError) {
    defer {
      events.announce()
      notices.announce()
    }
    try await database.transaction(retrying: .conflicts(times: 3)) {
      (transaction) throws(ApplicationError) in
      let now = environment.now()
      let rows = try await transaction.run(LockCheckIns(requestIDs: ends.requestIDs))
      var withdrawn: [SingleRequest] = []
      for row in rows {
        var single = try row.request()
        if single.withdraw(now: now.flooredToMilliseconds) { withdrawn.append(single) }
      }
      guard !withdrawn.isEmpty else { return }
      try await transaction.run(
        WithdrawCheckIns(requestIDs: withdrawn.map(\.id), now: now))
      try await events.changed(withdrawn, in: transaction)
      let accepted = withdrawn.filter { $0.acceptance != nil }
      try await notices.add(
        accepted.flatMap { RequestNotices.ended($0, .thirdParty) }, in: transaction)
    }
  }
}
