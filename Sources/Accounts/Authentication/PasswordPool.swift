import Cryptography
import EventLoop
import ServiceKit

/// Hashes passwords outside the event loops, on threads that all loops of a process share.
///
/// A hash takes 19 MiB and tens of milliseconds: two run at a time, and at most 64 are queued.
package struct PasswordPool: Sendable {
  /// The most queued passwords.
  package static let waitingMax = 64
  private let pool: BlockingPool
  private let hasher: PasswordHasher

  /// A pool with a thread per core, at most two.
  ///
  /// - Throws: `SystemError` when the system refuses the threads.
  package init(cores: Int, hasher: PasswordHasher = PasswordHasher()) throws(SystemError) {
    pool = try BlockingPool(
      name: "passwords", threads: min(max(cores, 1), 2), queueMax: Self.waitingMax)
    self.hasher = hasher
  }

  /// The hash of a new password, for storage.
  ///
  /// - Throws: `rateLimited` when too many are queued already, `unavailable` without memory.
  package func hash(_ password: String) async throws(ApplicationError) -> String {
    let secret = SecretBytes(utf8: password)
    let hasher = hasher
    return try await run { () throws(CryptographyError) in try hasher.hash(secret) }
  }

  /// Whether a password matches a stored hash; for nil (no such account) false after the same time.
  ///
  /// - Throws: as `hash`.
  package func verify(_ password: String, against stored: String?) async throws(ApplicationError)
    -> Bool
  {
    let secret = SecretBytes(utf8: password)
    let hasher = hasher
    return try await run { () throws(CryptographyError) in
      try hasher.verify(secret, against: stored)
    }
  }

  /// Whether a password that was just verified should be rehashed at the current cost.
  package func needsRehash(_ stored: String) -> Bool { hasher.needsRehash(stored) }

  private func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(CryptographyError) -> Value
  ) async throws(ApplicationError) -> Value {
    let outcome: Result<Value, CryptographyError>
    do throws(BlockingPoolError) { outcome = try await pool.run(work) } catch {
      throw .rateLimited(retryAfter: 2)
    }
    do throws(CryptographyError) { return try outcome.get() } catch {
      var problem =
        error == .passwordHashingFailed ? ApplicationError.unavailable() : .internalError
      problem.cause = error.description
      throw problem
    }
  }
}
