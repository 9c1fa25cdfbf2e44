import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Ensures that no data of a request is being sent when its end is confirmed (R21, ACC-8).
package struct Revocations: Sendable {
  /// How long an end waits; the lease of a killed replica takes 5 s of it.
  static let waitMax = Duration.seconds(20)
  /// The pause between two checks.
  static let pause = Duration.milliseconds(10)
  /// How long revocations are kept: longer than a replica takes to follow.
  static let keptFor = Duration.seconds(3_600)

  private let database: Database
  private let environment: Environment
  private let loop: EventLoop
  private let wakeUp: WakeUpSignal

  /// Revocations in this database; `wakeUp` wakes the watch of the process.
  package init(
    _ database: Database, environment: Environment, on loop: EventLoop, wakeUp: WakeUpSignal
  ) {
    self.database = database
    self.environment = environment
    self.loop = loop
    self.wakeUp = wakeUp
  }

  /// Revokes data of requests whose end is committed, and the mails of a deleted account. Returns
  /// when no replica sends any of it, or will.
  ///
  /// - Throws: `unavailable` if the database is unavailable, or a replica neither follows nor
  ///   loses its lease.
  package func revoke(
    _ requestIDs: [DataRequestID], mailsOf account: AccountID? = nil
  ) async throws(ApplicationError) {
    let accounts = account.map { [$0] } ?? []
    guard !requestIDs.isEmpty || !accounts.isEmpty else { return }
    let revocation = MakeRevocation(
      requestIDs: requestIDs, accounts: accounts, now: environment.now())
    guard let number = try await database.effect(revocation) else { return }
    wakeUp.signal()
    let end = loop.now + Self.waitMax
    while try await database.row(LaggingReplicas(number: number)) ?? 0 > 0 {
      guard loop.now < end else { throw .unavailable(retryAfter: 1) }
      do throws(CancellationError) { try await loop.wait(for: Self.pause) } catch {
        throw .unavailable(retryAfter: 1)
      }
    }
    // Once every replica has followed the revocation, its account number is erased.
    if account != nil { _ = try await database.effect(DeleteRevokedAccounts(number: number)) }
  }

  /// Calls `listener` for each revocation of this process.
  func onSignal(_ listener: @escaping @Sendable () -> Void) { wakeUp.onSignal(listener) }

  /// Deletes revocations that every replica followed long ago. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func forget() async throws(ApplicationError) {
    _ = try await database.effect(DeleteRevocations(before: environment.now() - Self.keptFor))
  }
}
