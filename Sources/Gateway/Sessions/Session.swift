import Domain
import EventLoop
import Privacy
import PublicAPI

/// A session as the gateway holds it in memory.
package struct Session: Sendable, Equatable {
  /// Whose it is.
  package let account: AccountID
  /// The kind of that account.
  package let kind: AccountKind
  /// What shows its token: who logged in, a program by its key, or a device.
  package let bearer: Bearer
  /// When it ends in any case.
  package let expiresAt: WallTime
  /// When it was last used, as far as is known here.
  package var lastUsedAt: WallTime

  /// A session of these parts.
  package init(
    account: AccountID, kind: AccountKind, bearer: Bearer = .login, expiresAt: WallTime,
    lastUsedAt: WallTime
  ) {
    self.account = account
    self.kind = kind
    self.bearer = bearer
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
  }
}

extension Session {
  /// Whether it does not end for being idle: keys and devices.
  var mayRest: Bool { bearer != .login }

  /// Whether it was idle for so long at `now` that it is over.
  func isIdle(for idle: Duration, at now: WallTime) -> Bool {
    !mayRest && now >= lastUsedAt + idle
  }
}

/// A session was used; to be noted in the database.
package struct SessionMark: Sendable, Equatable {
  /// Which session, and when.
  package let token: TokenHash
  package let usedAt: WallTime
}
