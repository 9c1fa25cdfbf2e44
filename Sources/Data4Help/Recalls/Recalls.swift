import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services
import Synchronization

/// Ensures that no data of a request is being sent when its end is confirmed (R21, ACC-8).
package struct Recalls: Sendable {
  /// How long an end waits; the lease of a killed replica takes 5 s of it.
  static let waitMax = Duration.seconds(20)
  /// The pause between two checks.
  static let pause = Duration.milliseconds(10)
  /// How long recalls are kept: longer than a replica takes to follow.
  static let keptFor = Duration.seconds(3_600)

  private let database: Database
  private let world: World
  private let loop: EventLoop
  private let bell: RecallBell

  init(_ database: Database, world: World, on loop: EventLoop, bell: RecallBell) {
    self.database = database
    self.world = world
    self.loop = loop
    self.bell = bell
  }

  /// Recalls data of requests whose end is committed, and the mails of a deleted account. Returns
  /// when no replica sends any of it, or will.
  ///
  /// - Throws: `unavailable` if the database is unavailable, or a replica neither follows nor
  ///   loses its lease.
  func recall(
    _ requestIDs: [DataRequestID], mailsOf account: AccountID? = nil
  ) async throws(ApplicationError) {
    let accounts = account.map { [$0] } ?? []
    guard !requestIDs.isEmpty || !accounts.isEmpty else { return }
    let recall = MakeRecall(requestIDs: requestIDs, accounts: accounts, now: world.now())
    guard let number = try await database.effect(recall) else { return }
    bell.ring()
    let end = loop.now + Self.waitMax
    while try await database.row(ReplicasBehind(number: number)) ?? 0 > 0 {
      guard loop.now < end else { throw .unavailable(retryAfter: 1) }
      do throws(CancellationError) { try await loop.wait(for: Self.pause) } catch {
        throw .unavailable(retryAfter: 1)
      }
    }
    // Once every replica has followed the recall, its account number is erased.
    if account != nil { _ = try await database.effect(ForgetRecalledAccounts(number: number)) }
  }

  /// Calls `listener` for each recall of this process.
  func heard(by listener: @escaping @Sendable () -> Void) { bell.heard(by: listener) }

  /// Deletes recalls that every replica followed long ago. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func forget() async throws(ApplicationError) {
    _ = try await database.effect(ForgetRecalls(before: world.now() - Self.keptFor))
  }
}

/// Wakes the watch of a process.
package final class RecallBell: Sendable {
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  /// A bell without listeners.
  package init() {}

  func ring() { listener.withLock { $0 }?() }

  func heard(by listener: @escaping @Sendable () -> Void) {
    self.listener.withLock { $0 = listener }
  }
}
