import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Withdraws check-in requests: a runner has left or was removed, the run was cancelled or moved.
struct CheckInWithdrawing: Sendable {
  let surroundings: Surroundings

  /// Withdraws those of the requests that are not over. Track4Run finds the ends in its sequence,
  /// and people who had accepted are notified.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func withdraw(_ ends: CheckInEnds) async throws(ApplicationError) {
    defer {
      surroundings.events.announce()
      surroundings.notices.announce()
    }
    try await surroundings.database.transaction(retrying: .conflicts(times: 3)) {
      (transaction) throws(ApplicationError) in
      let now = surroundings.world.now()
      let rows = try await transaction.run(LockCheckIns(requestIDs: ends.requestIDs))
      var withdrawn: [SingleRequest] = []
      for row in rows {
        var single = try row.request()
        if single.withdraw(now: now.timestamp) { withdrawn.append(single) }
      }
      guard !withdrawn.isEmpty else { return }
      try await transaction.run(
        WithdrawCheckIns(requestIDs: withdrawn.map(\.id), now: now))
      try await surroundings.events.changed(withdrawn, in: transaction)
      let accepted = withdrawn.filter { $0.acceptance != nil }
      try await surroundings.notices.add(
        accepted.flatMap { RequestNotices.ended($0, .thirdParty) }, in: transaction)
    }
  }
}
