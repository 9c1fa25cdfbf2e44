import Domain
import EventLoop
import HTTP
import Operations
import Services

/// Follows the ledger of deleted accounts (ACC-8): all of it before a process answers anything,
/// since a backup may have been restored; afterwards, every minute, what was deleted within the
/// last hour, for what was under way just then, and what a crash left with a key.
package struct DeletionWorker: Sendable {
  /// How long the worker rests.
  static let pause = Duration.seconds(60)
  /// Longer than any request or import may be under way.
  static let settledAfter = Duration.seconds(3_600)
  /// Accounts of one page.
  static let pageMax = 5_000
  /// How often a process that starts tries to replay the ledger, a second apart.
  private static let triesMax = 60

  private let surroundings: Surroundings
  private let deletion: AccountDeletion

  /// A worker of these surroundings.
  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    deletion = AccountDeletion(surroundings)
  }

  /// What a process runs in the background.
  package var work: RepeatingWork {
    RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) { try await turn() } catch {
        surroundings.log.failure("finish account deletions failed", error, level: .warning)
      }
      return Self.pause
    }
  }

  /// Deletes again whoever the ledger names and the data knows: what a process does before it
  /// serves. It costs a query for thousands of lines, and a transaction for each account that a
  /// restored backup brought back.
  ///
  /// - Throws: after a minute in which a database was away, or an account could not be deleted; the
  ///   process then ends and is started again.
  package func replayBeforeServing() async throws(StartError) {
    for attempt in 1...Self.triesMax {
      do throws(ApplicationError) {
        let everything = WallTime(Timestamp(millisecondsSince1970: 0))
        guard let unfinished = try await replay(since: everything) else { return }
        throw unfinished
      } catch {
        surroundings.log.failure(
          "replay deletion ledger failed", error, level: .warning,
          .number("attempt", attempt))
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        _ = surroundings.loop.schedule(after: .seconds(1)) { continuation.resume() }
      }
    }
    throw StartError(
      "The ledger of deleted accounts can't be replayed: the log says above whether a database is"
        + " away or an account can't be deleted.")
  }

  /// Replays what is recent, and finishes what a crash left with a key.
  ///
  /// - Throws: 503 if a database is away, and what kept the last account that failed from going;
  ///   the next turn begins again.
  package func turn() async throws(ApplicationError) {
    let recent = try await replay(since: surroundings.world.now() - Self.settledAfter)
    let withKey = try await finish(surroundings.keysDatabase.rows(DeletionsWithKey()))
    if let unfinished = recent ?? withKey { throw unfinished }
  }

  /// Deletes again whoever the ledger names since then and the data knows. Gives why the last
  /// failed that did.
  ///
  /// - Throws: 503 if a database is away.
  private func replay(since time: WallTime) async throws(ApplicationError) -> ApplicationError? {
    var last = AccountID(rawValue: .min)
    var unfinished: ApplicationError?
    while true {
      let accounts = try await surroundings.keysDatabase.rows(
        DeletionsSince(since: time, after: last, limit: Self.pageMax))
      guard let end = accounts.last else { return unfinished }
      last = end
      let present = try await surroundings.database.rows(AccountsWithRows(accounts: accounts))
      unfinished = try await finish(present) ?? unfinished
    }
  }

  /// Finishes the deletions of accounts; one that fails holds up no other. Gives why the last
  /// failed that did.
  ///
  /// - Throws: 503 if a database is away.
  private func finish(_ accounts: [AccountID]) async throws(ApplicationError) -> ApplicationError? {
    var failure: ApplicationError?
    for account in accounts {
      do throws(ApplicationError) { try await deletion.finish(account) } catch {
        if error.reason == .unavailable { throw error }
        surroundings.log.failure(
          "delete account failed", error, .number("account_id", account.rawValue))
        failure = error
      }
    }
    return failure
  }
}

/// Lets a loop forget the keys that others destroyed (ACC-8): without it a loop that has used a key
/// would read by it what a restored backup brings back. One per loop.
package struct KeyForgetting: Sendable {
  /// How long a key may outlive its destruction in memory, about.
  static let pause = Duration.seconds(1)
  /// How far back each look goes: longer than clocks differ and databases are away.
  private static let lookback = Duration.seconds(600)

  private let surroundings: Surroundings

  /// Of the loop of these surroundings.
  package init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// What a process runs in the background on each loop.
  package var work: RepeatingWork {
    RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) { try await turn() } catch {
        surroundings.log.failure("follow destroyed keys failed", error, level: .warning)
      }
      return Self.pause
    }
  }

  /// Forgets the keys of accounts that were deleted lately.
  ///
  /// - Throws: 503 if the keys' database is away.
  package func turn() async throws(ApplicationError) {
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await surroundings.keysDatabase.rows(
        DeletionsSince(
          since: surroundings.world.now() - Self.lookback, after: last,
          limit: DeletionWorker.pageMax))
      guard let end = accounts.last else { return }
      last = end
      surroundings.accountKeys.forget(accounts)
    }
  }
}
