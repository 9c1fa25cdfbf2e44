import AutomatedSOS
import Bytes
import Domain
import ServiceKit
import Synchronization
import Time

/// The emergencies that this process has raised and that had no call yet, and whether the database
/// answers. One per process; from any thread.
///
/// While the database answers it is only a copy: the stored rows count down (decision 0023).
package final class OfflineEmergencies: Sendable {
  /// Consecutive failed queries after which the database counts as unavailable. A single one may be
  /// a pause of this process.
  private static let failedReadsMax = 2
  /// The most emergencies of one account; beyond it, the oldest one without a countdown is removed.
  /// Readings that waver around a threshold while the database is unavailable raise one after the
  /// other.
  static let countMaxOfAccount = 32
  /// The most emergencies of all accounts, likewise; each takes some 10 kB with its readings.
  package static let countMax = 10_000

  private struct State {
    var emergencies: [UniversalID: OfflineEmergency] = [:]
    /// The followed emergencies of the database, as last read.
    var followed: [UniversalID: FollowedEmergency] = [:]
    var failedReads = 0

    /// Whether the database is unavailable.
    var isUnavailable: Bool { failedReads >= OfflineEmergencies.failedReadsMax }

    /// Makes room for another emergency of an account; returns the one that was removed for it.
    mutating func makeRoom(for account: AccountID, _ countMax: Int) -> OfflineEmergency? {
      if emergencies.count >= OfflineEmergencies.countMaxOfAccount {
        let own = emergencies.values.filter { $0.row.account == account }
        if own.count >= OfflineEmergencies.countMaxOfAccount { return dropOldest(of: own) }
      }
      return emergencies.count < countMax ? nil : dropOldest(of: Array(emergencies.values))
    }

    private mutating func dropOldest(of candidates: [OfflineEmergency]) -> OfflineEmergency? {
      let oldest = candidates.lazy.filter(\.isSettled).min {
        $0.row.suspectedAt < $1.row.suspectedAt
      }
      if let oldest { emergencies[oldest.row.id] = nil }
      return oldest
    }
  }

  private let state = Mutex(State())
  private let countMax: Int

  /// An empty collection of at most `countMax` emergencies, without counting those with a
  /// countdown.
  package init(countMax: Int = OfflineEmergencies.countMax) { self.countMax = countMax }

  // MARK: The database

  /// Whether the database is unavailable.
  var isUnavailable: Bool { state.withLock { $0.isUnavailable } }

  /// The scheduler has read the due emergencies.
  func noteRead() { state.withLock { $0.failedReads = 0 } }

  /// The scheduler could not read the due emergencies in time.
  func noteFailedRead() { state.withLock { $0.failedReads += 1 } }

  // MARK: Transitions

  /// The number of held emergencies.
  package var count: Int { state.withLock { $0.emergencies.count } }

  /// Applies a transition that a detector has just decided. Returns the resulting emergency, if it
  /// is held, and the ended one that was removed for it.
  func take(
    _ transition: EmergencyTransition, _ id: UniversalID, of account: AccountID,
    _ person: CalledPerson?,
    at now: Instant
  ) -> (taken: OfflineEmergency?, evicted: OfflineEmergency?) {
    state.withLock { state in
      var evicted: OfflineEmergency?
      if transition.isNew, state.emergencies[id] == nil {
        evicted = state.makeRoom(for: account, countMax)
        state.emergencies[id] = OfflineEmergency(transition, id, of: account, person)
      } else {
        state.emergencies[id]?.take(transition, person, at: now)
      }
      return (state.emergencies[id], evicted)
    }
  }

  /// Whether an emergency is offline: it continues only in this process.
  func isOffline(_ id: UniversalID) -> Bool {
    state.withLock { $0.emergencies[id]?.isOffline ?? false }
  }

  /// Continues an emergency offline, because the database did not store a transition of it. Returns
  /// the copy, if there is one.
  func goOffline(_ id: UniversalID) -> OfflineEmergency? {
    state.withLock { state in
      state.emergencies[id]?.goOffline()
      return state.emergencies[id]
    }
  }

  /// The same, but nil if `count` of its transitions are stored or it is offline already.
  func goOffline(_ id: UniversalID, unlessStored count: Int) -> OfflineEmergency? {
    state.withLock { state in
      guard let copy = state.emergencies[id], !copy.isOffline, copy.storedTransitionCount < count
      else {
        return nil
      }
      state.emergencies[id]?.goOffline()
      return state.emergencies[id]
    }
  }

  /// The held emergency with this identifier, if any.
  func current(_ id: UniversalID) -> OfflineEmergency? { state.withLock { $0.emergencies[id] } }

  /// Removes an emergency that another one has replaced, or that can't be stored.
  func drop(_ id: UniversalID) { state.withLock { $0.emergencies[id] = nil } }

  /// Removes the emergencies of people who are no longer monitored, except offline ones.
  func forget(unless isMonitored: (AccountID) -> Bool) {
    state.withLock { state in
      state.emergencies = state.emergencies.filter {
        $0.value.isOffline || isMonitored($0.value.row.account)
      }
    }
  }

  /// The database has stored a transition of an emergency.
  func noteStored(_ id: UniversalID) {
    state.withLock { $0.emergencies[id]?.noteStored() }
  }

  /// Takes over the stored state of an emergency that is not offline.
  func follow(_ stored: FollowedEmergency) {
    state.withLock { state in
      guard let copy = state.emergencies[stored.id], !copy.isOffline else { return }
      if stored.stage.isBeforeCall {
        state.emergencies[stored.id]?.follow(stored)
      } else {
        state.emergencies[stored.id] = nil
      }
    }
  }

  /// Replaces the followed emergencies of the database.
  func noteFollowed(_ followed: [UniversalID: FollowedEmergency]) {
    state.withLock { $0.followed = followed }
  }

  /// The newest emergency in memory, held or followed, that occupies a rule of an account.
  func known(
    _ account: AccountID, _ rule: EmergencyRule, at now: Instant
  ) -> FollowedEmergency? {
    state.withLock { state in
      let copies = state.emergencies.values.lazy.map(\.row.followed)
      let all = Array(copies) + state.followed.values.filter { state.emergencies[$0.id] == nil }
      return all.filter { $0.account == account && $0.rule == rule && $0.keepsRule(at: now) }
        .max { $0.measured < $1.measured }
    }
  }

  /// The newest offline emergency of an account and rule, which may be over.
  func present(_ account: AccountID, _ rule: EmergencyRule) -> FollowedEmergency? {
    state.withLock { state in
      state.emergencies.values.lazy.filter {
        $0.isOffline && $0.row.account == account && $0.row.rule == rule
      }.map(\.row.followed).max { $0.measured < $1.measured }
    }
  }

  /// Aborts an emergency of an account that is offline, or would be; returns it. Nil if the
  /// database has it, unless a request to the database has failed.
  ///
  /// - Throws: `conflict` if it is too late.
  func abort(
    _ id: UniversalID, of account: AccountID, at now: Instant, hasDatabaseFailed: Bool = false
  ) throws(ApplicationError) -> OfflineEmergency? {
    let outcome = state.withLock { state -> (isAborted: Bool, OfflineEmergency)? in
      let mustGoOffline = hasDatabaseFailed || state.isUnavailable
      let known = mustGoOffline ? state.followed[id].map(OfflineEmergency.init) : nil
      guard var copy = state.emergencies[id] ?? known, copy.row.account == account,
        copy.isOffline || mustGoOffline
      else { return nil }
      let isAborted = copy.abort(at: now)
      if isAborted { state.emergencies[id] = copy }
      return (isAborted, copy)
    }
    guard let (isAborted, copy) = outcome else { return nil }
    guard isAborted else { throw .tooLateToAbort }
    return copy
  }

  /// The journal contains the abort of an emergency; false if the emergency is not held.
  func noteJournaled(_ id: UniversalID) -> Bool {
    state.withLock { $0.emergencies[id]?.noteJournaled() != nil }
  }

  /// Holds an emergency whose abort another process acknowledged, and returns it.
  func restore(_ record: AbortRecord) -> OfflineEmergency {
    var copy = OfflineEmergency(record.before)
    _ = copy.abort(at: record.abortedAt)
    copy.noteJournaled()
    return state.withLock { [copy] state in
      state.emergencies[record.id] = copy
      return copy
    }
  }

  /// The emergency number has answered the call of this number; false if the emergency is not held.
  func listen(_ id: UniversalID, to number: Int32, until time: Instant) -> Bool {
    state.withLock { $0.emergencies[id]?.listen(to: number, until: time) != nil }
  }

  /// That call was not heard completely; false if the emergency is not held.
  func callAgain(_ id: UniversalID, after number: Int32, at time: Instant) -> Bool {
    state.withLock { $0.emergencies[id]?.callAgain(after: number, at: time) != nil }
  }

  /// The emergency number has acknowledged; false if the emergency is not held.
  func acknowledge(_ id: UniversalID, at now: Instant) -> Bool {
    state.withLock { $0.emergencies[id]?.acknowledge(at: now) != nil }
  }

  // MARK: Scheduled

  /// Advances all offline emergencies whose stage is over, and returns them with the call to place.
  /// For people who withdrew the permission no call is placed, and for each person the emergency
  /// number is called once at a time.
  func advance(
    at now: Instant, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    isPermitted: (AccountID) -> Bool, isNumberCalled: (AccountID) -> Bool
  ) -> [(OfflineEmergency, OfflineEmergency.Call?)] {
    state.withLock { state in
      let isUnavailable = state.isUnavailable
      var calledFor: Set<AccountID> = []
      var advanced: [(OfflineEmergency, OfflineEmergency.Call?)] = []
      for (id, copy) in state.emergencies
      where copy.isDue(at: now) && (copy.isOffline || isUnavailable) {
        guard isPermitted(copy.row.account) else {
          state.emergencies[id] = nil
          continue
        }
        let account = copy.row.account
        var next = copy
        let call = next.advance(
          at: now, settings, hospitals,
          mayCallNumber: !calledFor.contains(account) && !isNumberCalled(account))
        state.emergencies[id] = next
        if let call, call.hospital == nil { calledFor.insert(account) }
        guard call != nil || next.row.stage != copy.row.stage else { continue }
        advanced.append((next, call))
      }
      return advanced
    }
  }

  /// The emergencies to store in their present state; none while the database is unavailable.
  func unstored() -> [OfflineEmergency] {
    state.withLock { state in
      guard state.failedReads == 0 else { return [] }
      return state.emergencies.values.filter(\.isOffline)
    }
  }

  /// An emergency was stored in this state. Later changes are stored again.
  func stored(_ copy: OfflineEmergency) {
    state.withLock { state in
      guard state.emergencies[copy.row.id]?.version == copy.version else { return }
      if copy.row.stage.isBeforeCall {
        state.emergencies[copy.row.id]?.noteReconciled()
      } else {
        state.emergencies[copy.row.id] = nil
      }
    }
  }
}

extension ApplicationError {
  /// `unavailable`: the abort is effective in memory only.
  static var abortNotWritten: ApplicationError {
    var problem = ApplicationError.unavailable(retryAfter: 1)
    problem.detail =
      "The abort is effective and no call is made while this process runs, but it can't be written "
      + "to disk, so a restart would lose it. Send it again."
    return problem
  }

  /// A call was already placed, or the emergency is over.
  static var tooLateToAbort: ApplicationError {
    .conflict(
      "It is too late to abort: a call was made, or it is over. A false alarm can still be "
        + "reported.")
  }
}
