import Domain
import EventLoop
import HTTP
import Operations
import Services

/// Walks the ledger of deleted accounts (ACC-8): all of it when a process starts, since a backup
/// may have been restored; afterwards, every minute, what was deleted within the last hour, for
/// what was under way just then, and what a crash left with a key.
package struct DeletionWorker: Sendable {
  /// How long the worker rests.
  static let pause = Duration.seconds(60)
  /// Longer than any request or import may be under way.
  static let settledAfter = Duration.seconds(3_600)
  /// Accounts of one page.
  static let pageMax = 500

  private let surroundings: Surroundings
  private let deletion: AccountDeletion
  private let progress: LoopBound<Progress>

  private final class Progress {
    var hasReplayed = false
  }

  /// A worker of these surroundings.
  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    deletion = AccountDeletion(surroundings: surroundings)
    progress = LoopBound(Progress(), on: surroundings.loop)
  }

  /// What a process runs in the background.
  package var work: RepeatingWork {
    RepeatingWork(on: surroundings.loop) {
      do throws(Problem) { try await turn() } catch {
        surroundings.log.warning(
          "deleted accounts could not be looked after", [.number("status", error.status.code)])
      }
      return Self.pause
    }
  }

  /// Replays the whole ledger once, then what is recent.
  ///
  /// - Throws: 503 if a database is away; the next turn begins again.
  package func turn() async throws(Problem) {
    let now = surroundings.world.now()
    try await replay(
      since: progress.value.hasReplayed
        ? now - Self.settledAfter : WallTime(Timestamp(millisecondsSince1970: 0)))
    progress.value.hasReplayed = true
    for account in try await surroundings.keysDatabase.rows(DeletionsWithKey()) {
      try await deletion.finish(account)
    }
  }

  private func replay(since time: WallTime) async throws(Problem) {
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await surroundings.keysDatabase.rows(
        DeletionsSince(since: time, after: last, limit: Self.pageMax))
      guard let end = accounts.last else { return }
      last = end
      for account in accounts { try await deletion.finish(account) }
    }
  }
}
