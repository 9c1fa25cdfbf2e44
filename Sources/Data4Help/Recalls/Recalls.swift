import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services
import Synchronization

/// Makes sure that nothing of a request is on its way when its end is answered (R21, ACC-8).
package struct Recalls: Sendable {
  /// How long an end waits; a killed replica's lease takes 5 s of it.
  static let waitMax = Duration.seconds(20)
  /// How long it rests between two looks.
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

  /// Recalls what is under way of requests whose end is committed, and the mails of an account that
  /// is deleted: returns when no replica hands over anything of them, and none will.
  ///
  /// - Throws: 503 if the database is away, or a replica neither follows nor loses its lease.
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
    // Who was deleted is nobody's to read once everybody knows.
    if account != nil { _ = try await database.effect(ForgetRecalledAccounts(number: number)) }
  }

  /// Calls `listener` whenever this process recalls something.
  func heard(by listener: @escaping @Sendable () -> Void) { bell.heard(by: listener) }

  /// Forgets what every replica has followed long ago. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  func forget() async throws(ApplicationError) {
    _ = try await database.effect(ForgetRecalls(before: world.now() - Self.keptFor))
  }
}

/// Wakes the watch of a process.
package final class RecallBell: Sendable {
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  /// A bell that nobody hears yet.
  package init() {}

  func ring() { listener.withLock { $0 }?() }

  func heard(by listener: @escaping @Sendable () -> Void) {
    self.listener.withLock { $0 = listener }
  }
}
