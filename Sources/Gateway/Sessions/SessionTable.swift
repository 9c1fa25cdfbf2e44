import Cryptography
import Time

/// All open sessions in memory, shared by the loops (GW-3).
///
/// All loops share one copy, in shards whose locks are held for one dictionary look-up. A copy for
/// each loop would multiply the memory by the number of loops, and an uncontended lock costs 20 ns.
/// Callable from any thread.
package final class SessionTable: Sendable {
  /// The state of a token in memory.
  package enum Finding: Sendable, Equatable {
    /// The session is open and was just used.
    case open(Session)
    /// An earlier look-up found no open session for the token.
    case absent
    /// The token must be looked up. Includes idle sessions, because another gateway may have served
    /// them meanwhile.
    case unknown
  }

  private static let partCount = 64
  private let parts: [SessionPart]

  /// Creates an empty table. Sessions idle for `idle` have ended. A use is recorded in the database
  /// at most once in `markPause`, by default an eighth of `idle` and at most a minute.
  package init(idle: Duration, markPause: Duration? = nil) {
    let pause = markPause ?? min(.seconds(60), idle / 8)
    parts = (0..<Self.partCount).map { _ in SessionPart(idle: idle, markPause: pause) }
  }

  private func part(_ token: TokenHash) -> SessionPart {
    parts[Int(token.digest.lastByte) & (Self.partCount - 1)]
  }

  /// The state of a token in memory; finding an open session counts as a use.
  package func find(_ token: TokenHash, at now: Instant) -> Finding {
    part(token).find(token, at: now)
  }

  /// Whether a session is open and not idle, as far as memory knows. Does not count as a use.
  package func isOpen(_ token: TokenHash, at now: Instant) -> Bool {
    part(token).isOpen(token, at: now)
  }

  /// Records a session that the database reports as opened or changed.
  package func insert(_ token: TokenHash, _ session: Session) {
    part(token).insert(token, session)
  }

  /// Removes a session that the database reports as ended.
  package func remove(_ token: TokenHash) { part(token).remove(token) }

  /// Ends a session through this gateway: a row that was read before does not restore it.
  package func end(_ token: TokenHash) { part(token).end(token) }

  /// Records, for some time, that the database has no open session for this token.
  package func noteAbsent(_ token: TokenHash) { part(token).noteAbsent(token) }

  /// Whether the table has a session for this token, idle or not.
  func holds(_ token: TokenHash) -> Bool { part(token).holds(token) }

  /// The number of sessions held.
  package var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Removes expired sessions; returns how many.
  package func removeExpired(at now: Instant) -> Int {
    parts.reduce(0) { $0 + $1.removeExpired(at: now) }
  }

  /// Takes at most `countMax` uses to be recorded in the database; each is returned once.
  package func takeMarks(countMax: Int) -> [SessionMark] {
    var marks: [SessionMark] = []
    for part in parts where marks.count < countMax {
      part.takeMarks(countMax: countMax - marks.count, into: &marks)
    }
    return marks
  }
}
