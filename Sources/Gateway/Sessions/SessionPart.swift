import Cryptography
import Synchronization
import Time

/// One shard of the session table, with its own lock.
final class SessionPart: Sendable {
  private struct Entry {
    var session: Session
    var markedAt: Instant
    var isMarkPlanned = false

    mutating func use(at now: Instant, isMarkPlanned isNew: Bool) {
      session.lastUsedAt = max(session.lastUsedAt, now)
      if isNew { isMarkPlanned = true }
    }
  }

  private struct State {
    var entries: [TokenHash: Entry] = [:]
    var marks: [TokenHash] = []
    /// Tokens without session, in two generations: when the younger one is full it becomes the
    /// older one, and the previous older one is dropped.
    var absent: Set<TokenHash> = []
    var absentBefore: Set<TokenHash> = []
    /// Tokens whose session was ended through this gateway, also in two generations.
    var ended: Set<TokenHash> = []
    var endedBefore: Set<TokenHash> = []
  }

  /// The largest number of tokens in one generation of one shard.
  private static let absentMax = 1024
  private let idle: Duration
  private let markPause: Duration
  private let state = Mutex(State())

  init(idle: Duration, markPause: Duration) {
    self.idle = idle
    self.markPause = markPause
  }

  var count: Int { state.withLock { $0.entries.count } }

  func holds(_ token: TokenHash) -> Bool { state.withLock { $0.entries[token] != nil } }

  func isOpen(_ token: TokenHash, at now: Instant) -> Bool {
    state.withLock { state in
      guard let session = state.entries[token]?.session else { return false }
      return now < session.expiresAt && !session.isIdle(for: idle, at: now)
    }
  }

  func find(_ token: TokenHash, at now: Instant) -> SessionTable.Finding {
    state.withLock { state in
      guard let index = state.entries.index(forKey: token) else {
        let isAbsent = state.absent.contains(token) || state.absentBefore.contains(token)
        return isAbsent ? .absent : .unknown
      }
      let entry = state.entries.values[index]
      guard now < entry.session.expiresAt else { return .absent }
      guard !entry.session.isIdle(for: idle, at: now) else { return .unknown }
      let isMarkDue = !entry.isMarkPlanned && entry.markedAt + markPause <= now
      if isMarkDue || entry.session.lastUsedAt < now {
        state.entries.values[index].use(at: now, isMarkPlanned: isMarkDue)
      }
      if isMarkDue { state.marks.append(token) }
      return .open(entry.session)
    }
  }

  func insert(_ token: TokenHash, _ session: Session) {
    state.withLock { state in
      guard !state.ended.contains(token), !state.endedBefore.contains(token) else { return }
      var session = session
      let old = state.entries[token]
      if let old { session.lastUsedAt = max(session.lastUsedAt, old.session.lastUsedAt) }
      // The first use of a key or a device that this gateway sees is recorded at once, because
      // people check whether a new one works.
      let mayRest = session.mayRest
      state.entries[token] = Entry(
        session: session,
        markedAt: old?.markedAt ?? session.lastUsedAt + (mayRest ? .zero - markPause : .zero),
        isMarkPlanned: old?.isMarkPlanned ?? false)
      state.absent.remove(token)
      state.absentBefore.remove(token)
    }
  }

  func remove(_ token: TokenHash) {
    state.withLock { $0.entries[token] = nil }
  }

  /// Removes a session permanently: a row that was read before its end and arrives later must not
  /// restore it.
  func end(_ token: TokenHash) {
    state.withLock { state in
      state.entries[token] = nil
      if state.ended.count >= Self.absentMax {
        state.endedBefore = state.ended
        state.ended = []
      }
      state.ended.insert(token)
    }
  }

  func noteAbsent(_ token: TokenHash) {
    state.withLock { state in
      state.entries[token] = nil
      if state.absent.count >= Self.absentMax {
        state.absentBefore = state.absent
        state.absent = []
      }
      state.absent.insert(token)
    }
  }

  func removeExpired(at now: Instant) -> Int {
    state.withLock { state in
      let before = state.entries.count
      state.entries = state.entries.filter { now < $0.value.session.expiresAt }
      return before - state.entries.count
    }
  }

  func takeMarks(countMax: Int, into marks: inout [SessionMark]) {
    state.withLock { state in
      let taken = state.marks.prefix(countMax)
      for token in taken {
        guard var entry = state.entries[token] else { continue }
        entry.isMarkPlanned = false
        entry.markedAt = entry.session.lastUsedAt
        state.entries[token] = entry
        marks.append(SessionMark(token: token, usedAt: entry.session.lastUsedAt))
      }
      state.marks.removeFirst(taken.count)
    }
  }
}
