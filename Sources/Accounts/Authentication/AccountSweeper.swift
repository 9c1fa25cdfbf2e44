import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Removes leftovers of accounts: registrations that were not activated in time and their keys,
/// ended sessions, expired links, and old wrong passwords.
///
/// Replicas may sweep at the same time: each skips rows that another one has locked.
package struct AccountSweeper: Sendable {
  /// How long a registration may take before its key counts as abandoned.
  static let registeringMax = Duration.seconds(3600)
  /// How long after its link expired a registration is removed: by then no request that follows the
  /// link is still in progress.
  static let removalDelay = Duration.seconds(600)
  /// How long wrong passwords are kept.
  static let loginFailuresKeptFor = Duration.seconds(86_400)

  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let settings: AuthenticationSettings

  /// A sweeper that ends and deletes sessions by these settings.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys,
    _ settings: AuthenticationSettings
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.settings = settings
  }

  /// Removes everything that is due.
  ///
  /// - Throws: `unavailable` if a database is unavailable; the next sweep removes the rest.
  package func sweep() async throws(ApplicationError) {
    while try await sweepAbandoned() > 0 {}
    while try await sweepExpired() > 0 {}
    let now = environment.now()
    let dead = EndDeadSessions(now: now, idleSince: now - settings.sessionIdle)
    while try await database.effect(dead) == EndDeadSessions.batchMax {}
    let old = ForgetSessions(endedBefore: now - settings.keepSessions)
    while try await database.effect(old) == ForgetSessions.batchMax {}
    _ = try await database.effect(ForgetOldPasswordResets(now: now))
    _ = try await database.effect(
      ForgetOldLoginFailures(before: now - Self.loginFailuresKeptFor))
  }

  /// Destroys keys of registrations that never became accounts; returns how many.
  private func sweepAbandoned() async throws(ApplicationError) -> Int {
    let before = environment.now() - Self.registeringMax
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let accounts = try await transaction.run(LockAbandonedRegistrations(before: before))
      guard !accounts.isEmpty else { return 0 }
      try await accountKeys.destroy(accounts)
      try await transaction.run(ForgetAbandonedRegistrations(accounts: accounts))
      return accounts.count
    }
  }

  /// Removes registrations whose link was not followed in time (ACC-1); returns how many.
  private func sweepExpired() async throws(ApplicationError) -> Int {
    let age = AuthenticationSettings.activationMax + Self.removalDelay
    let before = environment.now() - age
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let accounts = try await transaction.run(LockExpiredRegistrations(before: before))
      guard !accounts.isEmpty else { return 0 }
      // The key first: a row without a key is swept again, a key without a row would never be
      // found.
      try await accountKeys.destroy(accounts)
      try await transaction.run(DeleteExpiredRegistrations(accounts: accounts))
      return accounts.count
    }
  }
}
