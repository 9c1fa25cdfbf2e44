import Cryptography
import Domain
import PublicAPI
import Time

/// A session as the gateway holds it in memory.
package struct Session: Sendable, Equatable {
  /// The account that the session belongs to.
  package let account: AccountID
  /// The kind of that account.
  package let kind: AccountKind
  /// The bearer of its token: a person who logged in, a program with a key, or a device.
  package let bearer: Bearer
  /// The latest time at which it ends.
  package let expiresAt: Instant
  /// When it was last used, as far as this gateway knows.
  package var lastUsedAt: Instant

  /// Creates a session from its parts.
  package init(
    account: AccountID, kind: AccountKind, bearer: Bearer = .login, expiresAt: Instant,
    lastUsedAt: Instant
  ) {
    self.account = account
    self.kind = kind
    self.bearer = bearer
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
  }
}

extension Session {
  /// Whether it is exempt from the idle timeout, as keys and devices are.
  var mayRest: Bool { bearer != .login }

  /// Whether the idle timeout has expired at `now`.
  func isIdle(for idle: Duration, at now: Instant) -> Bool {
    !mayRest && now >= lastUsedAt + idle
  }
}

/// A use of a session, to be recorded in the database.
package struct SessionMark: Sendable, Equatable {
  /// The session, and the time of use.
  package let token: TokenHash
  package let usedAt: Instant
}
