import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Removes what accounts leave behind: registrations that nobody activated and their keys, sessions
/// that are over, links that ran out, and old wrong passwords.
///
/// Replicas may sweep at the same time: what one holds the others skip.
package struct AccountSweeper: Sendable {
  /// How long a registration under way may take before its key counts as left behind.
  static let registeringMax = Duration.seconds(3600)
  /// How long after its link ran out a registration is removed: nobody follows it just then.
  static let removalDelay = Duration.seconds(600)
  /// How long ended sessions and wrong passwords are kept.
  static let sessionsKeptFor = Duration.seconds(7 * 86_400)
  static let loginFailuresKeptFor = Duration.seconds(86_400)

  private let surroundings: Surroundings
  private let settings: AuthenticationSettings

  /// A sweeper of these surroundings.
  package init(_ surroundings: Surroundings, _ settings: AuthenticationSettings) {
    self.surroundings = surroundings
    self.settings = settings
  }

  /// Removes all that is due.
  ///
  /// - Throws: 503 if a database is away; what was not removed is left for the next time.
  package func sweep() async throws(ApplicationError) {
    while try await sweepAbandoned() > 0 {}
    while try await sweepExpired() > 0 {}
    let now = surroundings.world.now()
    let database = surroundings.database
    let dead = EndDeadSessions(now: now, idleSince: now - settings.sessionIdle)
    while try await database.effect(dead) == EndDeadSessions.batchMax {}
    let old = ForgetSessions(endedBefore: now - Self.sessionsKeptFor)
    while try await database.effect(old) == ForgetSessions.batchMax {}
    _ = try await database.effect(ForgetOldPasswordResets(now: now))
    _ = try await database.effect(
      ForgetOldLoginFailures(before: now - Self.loginFailuresKeptFor))
  }

  /// Keys that were made for registrations that never became accounts; how many.
  private func sweepAbandoned() async throws(ApplicationError) -> Int {
    let before = surroundings.world.now() - Self.registeringMax
    return try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      let accounts = try await transaction.run(LockAbandonedRegistrations(before: before))
      guard !accounts.isEmpty else { return 0 }
      try await surroundings.accountKeys.destroy(accounts)
      try await transaction.run(ForgetAbandonedRegistrations(accounts: accounts))
      return accounts.count
    }
  }

  /// Registrations whose link was not followed in time (ACC-1); how many.
  private func sweepExpired() async throws(ApplicationError) -> Int {
    let age = AuthenticationSettings.activationMax + Self.removalDelay
    let before = surroundings.world.now() - age
    return try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      let accounts = try await transaction.run(LockExpiredRegistrations(before: before))
      guard !accounts.isEmpty else { return 0 }
      // The key first: a row without key is swept again, a key without row would stay.
      try await surroundings.accountKeys.destroy(accounts)
      try await transaction.run(DeleteExpiredRegistrations(accounts: accounts))
      return accounts.count
    }
  }
}
