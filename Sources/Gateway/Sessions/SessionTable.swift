import EventLoop
import Privacy

/// All open sessions, in memory, shared by the loops (GW-3).
///
/// One copy for all loops, in parts with a lock each that is held for a look-up in a dictionary:
/// copies for each loop would cost their memory times the loops, and 20 ns is what an uncontended
/// lock costs. From any thread.
package final class SessionTable: Sendable {
  /// What memory knows of a token.
  package enum Finding: Sendable, Equatable {
    /// The session is open and was just used.
    case open(Session)
    /// The token was looked up before, and there is no open session.
    case absent
    /// Memory does not know: look it up. Idle sessions too, since another gateway may have served
    /// them meanwhile.
    case unknown
  }

  private static let partCount = 64
  private let parts: [SessionPart]

  /// An empty table. Sessions idle for `idle` are over; a use is noted in the database at most
  /// once in `markPause`, by default an eighth of that and at most a minute.
  package init(idle: Duration, markPause: Duration? = nil) {
    let pause = markPause ?? min(.seconds(60), idle / 8)
    parts = (0..<Self.partCount).map { _ in SessionPart(idle: idle, markPause: pause) }
  }

  private func part(_ token: TokenHash) -> SessionPart {
    parts[token.hashValue & (Self.partCount - 1)]
  }

  /// What memory knows of a token; an open session counts as used now.
  package func find(_ token: TokenHash, at now: WallTime) -> Finding {
    part(token).find(token, at: now)
  }

  /// Whether a session is open and not idle, as far as memory knows, without counting as a use.
  package func isOpen(_ token: TokenHash, at now: WallTime) -> Bool {
    part(token).isOpen(token, at: now)
  }

  /// A session was opened or changed, as the database says.
  package func insert(_ token: TokenHash, _ session: Session) {
    part(token).insert(token, session)
  }

  /// A session ended, as the database says.
  package func remove(_ token: TokenHash) { part(token).remove(token) }

  /// A session was ended through this gateway: nothing that was read before brings it back.
  package func end(_ token: TokenHash) { part(token).end(token) }

  /// The database has no open session for this token; forgotten after a while.
  package func noteAbsent(_ token: TokenHash) { part(token).noteAbsent(token) }

  /// Whether the table has a session for this token, be it idle or not.
  func holds(_ token: TokenHash) -> Bool { part(token).holds(token) }

  /// The sessions held.
  package var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Drops what has expired by the clock; returns how many.
  package func removeExpired(at now: WallTime) -> Int {
    parts.reduce(0) { $0 + $1.removeExpired(at: now) }
  }

  /// Uses to be noted in the database, at most `countMax`; each is handed out once.
  package func takeMarks(countMax: Int) -> [SessionMark] {
    var marks: [SessionMark] = []
    for part in parts where marks.count < countMax {
      part.takeMarks(countMax: countMax - marks.count, into: &marks)
    }
    return marks
  }
}
