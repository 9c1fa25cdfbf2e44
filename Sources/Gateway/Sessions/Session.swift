import Domain
import EventLoop
import Privacy

/// A session as the gateway holds it in memory.
package struct Session: Sendable, Equatable {
  /// Whose it is.
  package let account: AccountID
  /// The kind of that account.
  package let kind: AccountKind
  /// When it ends in any case.
  package let expiresAt: WallTime
  /// When it was last used, as far as is known here.
  package var lastUsedAt: WallTime

  /// A session of these parts.
  package init(account: AccountID, kind: AccountKind, expiresAt: WallTime, lastUsedAt: WallTime) {
    self.account = account
    self.kind = kind
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
  }
}

/// A session was used; to be noted in the database.
package struct SessionMark: Sendable, Equatable {
  /// Which session, and when.
  package let token: TokenHash
  package let usedAt: WallTime
}
