import Accounts
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Time

/// Follows the ledger of deleted accounts (ACC-8). Before a process answers anything it replays the
/// whole ledger, since a backup may have been restored. Afterwards, every minute, it replays the
/// deletions of the last hour, for work that was in progress at the time, and finishes deletions
/// that a crash left with a key.
package struct DeletionWorker: Sendable {
  /// The pause between two turns.
  static let pause = Duration.seconds(60)
  /// Longer than any request or import may take.
  static let settledAfter = Duration.seconds(3_600)
  /// Accounts of one page.
  static let pageMax = 5_000
  /// How many times a starting process tries to replay the ledger, a second apart.
  private static let triesMax = 60

  private let dependencies: SharingDependencies
  private let deletion: AccountDeletion

  /// A worker on one loop.
  package init(_ dependencies: SharingDependencies) {
    self.dependencies = dependencies
    deletion = AccountDeletion(dependencies)
  }

  /// The worker that a process runs in the background.
  package var work: PeriodicTask {
    PeriodicTask(on: dependencies.loop) {
      do throws(ApplicationError) { try await turn() } catch {
        dependencies.log.failure("finish account deletions failed", error, level: .warning)
      }
      return Self.pause
    }
  }

  /// Deletes again every account that the ledger names and the data contains, before the process
  /// serves. It costs one query for thousands of lines, and a transaction for each account that a
  /// restored backup brought back.
  ///
  /// - Throws: after a minute in which a database was unavailable or an account could not be
  ///   deleted; the process then ends and is restarted.
  package func replayBeforeServing() async throws(StartError) {
    for attempt in 1...Self.triesMax {
      do throws(ApplicationError) {
        let everything = Instant(millisecondsSince1970: 0)
        guard let unfinished = try await replay(since: everything) else { return }
        throw unfinished
      } catch {
        dependencies.log.failure(
          "replay deletion ledger failed", error, level: .warning,
          .number("attempt", attempt))
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        _ = dependencies.loop.schedule(after: .seconds(1)) { continuation.resume() }
      }
    }
    throw StartError(
      "The ledger of deleted accounts can't be replayed: the log above says whether a database is"
        + " unavailable or an account can't be deleted.")
  }

  /// Replays recent deletions, and finishes those that a crash left with a key.
  ///
  /// - Throws: `unavailable` if a database is unavailable, and the error of the last account that
  ///   could not be deleted; the next turn tries again.
  package func turn() async throws(ApplicationError) {
    let recent = try await replay(since: dependencies.environment.now() - Self.settledAfter)
    let withKey = try await finish(dependencies.keysDatabase.rows(DeletionsWithKey()))
    if let unfinished = recent ?? withKey { throw unfinished }
  }

  /// Deletes again every account that the ledger names since then and the data contains. Returns
  /// the error of the last account that could not be deleted.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  private func replay(since time: Instant) async throws(ApplicationError) -> ApplicationError? {
    var last = AccountID(rawValue: .min)
    var unfinished: ApplicationError?
    while true {
      let accounts = try await dependencies.keysDatabase.rows(
        DeletionsSince(since: time, after: last, limit: Self.pageMax))
      guard let end = accounts.last else { return unfinished }
      last = end
      let present = try await dependencies.database.rows(AccountsWithRows(accounts: accounts))
      unfinished = try await finish(present) ?? unfinished
    }
  }

  /// Finishes the deletions of accounts; a failure of one does not stop the others. Returns the
  /// error of the last account that could not be deleted.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  private func finish(_ accounts: [AccountID]) async throws(ApplicationError) -> ApplicationError? {
    var failure: ApplicationError?
    for account in accounts {
      do throws(ApplicationError) { try await deletion.finish(account) } catch {
        if error.reason == .unavailable { throw error }
        dependencies.log.failure(
          "delete account failed", error, .number("account_id", account.rawValue))
        failure = error
      }
    }
    return failure
  }
}

/// Removes keys from a loop's memory after another loop or process destroyed them (ACC-8):
/// otherwise a loop that has used a key could still read data that a restored backup brings back.
/// One per loop.
package struct KeyForgetting: Sendable {
  /// How long a destroyed key may stay in memory, approximately.
  static let pause = Duration.seconds(1)
  /// How far back each query looks: longer than clocks differ and databases are unavailable.
  private static let lookback = Duration.seconds(600)

  private let loop: EventLoop
  private let environment: Environment
  private let keysDatabase: Database
  private let accountKeys: AccountKeys
  private let log: Log

  /// For the keys of this loop.
  package init(
    loop: EventLoop, environment: Environment, keysDatabase: Database, accountKeys: AccountKeys,
    log: Log
  ) {
    self.loop = loop
    self.environment = environment
    self.keysDatabase = keysDatabase
    self.accountKeys = accountKeys
    self.log = log
  }

  /// The worker that a process runs in the background on each loop.
  package var work: PeriodicTask {
    PeriodicTask(on: loop) {
      do throws(ApplicationError) { try await turn() } catch {
        log.failure("follow destroyed keys failed", error, level: .warning)
      }
      return Self.pause
    }
  }

  /// Removes the keys of recently deleted accounts from the memory.
  ///
  /// - Throws: `unavailable` if the keys' database is unavailable.
  package func turn() async throws(ApplicationError) {
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await keysDatabase.rows(
        DeletionsSince(
          since: environment.now() - Self.lookback, after: last,
          limit: DeletionWorker.pageMax))
      guard let end = accounts.last else { return }
      last = end
      accountKeys.forget(accounts)
    }
  }
}
