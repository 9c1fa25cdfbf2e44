import AutomatedSOS
import Domain
import EventLoop
import HTTP
import Privacy
import Services
import Synchronization

/// The emergencies that this process has raised and that had no call yet, and whether the database
/// answers. One per process; from any thread.
///
/// While the database answers it is only a copy: the stored rows count down (decision 0023).
package final class HeldEmergencies: Sendable {
  /// Consecutive failed queries after which the database counts as unavailable. A single one may be
  /// a pause of this process.
  private static let missesMax = 2
  /// The most emergencies of one account; beyond it, the oldest one without a countdown is removed.
  /// Readings that waver around a threshold while the database is unavailable raise one after the
  /// other.
  static let countMaxOfAccount = 32
  /// The most emergencies of all accounts, likewise; each takes some 10 kB with its readings.
  package static let countMax = 10_000

  private struct State {
    var emergencies: [UniversalID: HeldEmergency] = [:]
    /// The followed emergencies of the database, as last read.
    var followed: [UniversalID: FollowedEmergency] = [:]
    var misses = 0

    /// Whether the database is unavailable.
    var isAway: Bool { misses >= HeldEmergencies.missesMax }

    /// Makes room for another emergency of an account; returns the one that was removed for it.
    mutating func makeRoom(for account: AccountID, _ countMax: Int) -> HeldEmergency? {
      if emergencies.count >= HeldEmergencies.countMaxOfAccount {
        let own = emergencies.values.filter { $0.row.account == account }
        if own.count >= HeldEmergencies.countMaxOfAccount { return dropOldest(of: own) }
      }
      return emergencies.count < countMax ? nil : dropOldest(of: Array(emergencies.values))
    }

    private mutating func dropOldest(of candidates: [HeldEmergency]) -> HeldEmergency? {
      let oldest = candidates.lazy.filter(\.isSettled).min {
        $0.row.suspectedAt < $1.row.suspectedAt
      }
      if let oldest { emergencies[oldest.row.id] = nil }
      return oldest
    }
  }

  private let state = Mutex(State())
  private let countMax: Int

  /// An empty collection of at most `countMax` emergencies, apart from those with a countdown.
  package init(countMax: Int = HeldEmergencies.countMax) { self.countMax = countMax }

  // MARK: The database

  /// Whether the database is unavailable.
  var isAway: Bool { state.withLock { $0.isAway } }

  /// The clock has read the due emergencies.
  func answered() { state.withLock { $0.misses = 0 } }

  /// The clock could not read the due emergencies in time.
  func missed() { state.withLock { $0.misses += 1 } }

  // MARK: Transitions

  /// The number of held emergencies.
  package var count: Int { state.withLock { $0.emergencies.count } }

  /// Applies a step that a detector has just decided. Returns the resulting emergency, if it is
  /// held, and the ended one that was removed for it.
  func take(
    _ step: EmergencyStep, _ id: UniversalID, of account: AccountID, _ person: CalledPerson?,
    at now: WallTime
  ) -> (taken: HeldEmergency?, gone: HeldEmergency?) {
    state.withLock { state in
      var gone: HeldEmergency?
      if step.isNew, state.emergencies[id] == nil {
        gone = state.makeRoom(for: account, countMax)
        state.emergencies[id] = HeldEmergency(step, id, of: account, person)
      } else {
        state.emergencies[id]?.take(step, person, at: now)
      }
      return (state.emergencies[id], gone)
    }
  }

  /// Whether an emergency is offline: it continues only in this process.
  func isApart(_ id: UniversalID) -> Bool {
    state.withLock { $0.emergencies[id]?.isApart ?? false }
  }

  /// Takes an emergency offline, because the database did not store a step of it. Returns it, if it
  /// is held.
  func detach(_ id: UniversalID) -> HeldEmergency? {
    state.withLock { state in
      state.emergencies[id]?.detach()
      return state.emergencies[id]
    }
  }

  /// The same, but nil if `count` of its steps are stored or it is offline already.
  func detach(_ id: UniversalID, unlessStored count: Int) -> HeldEmergency? {
    state.withLock { state in
      guard let held = state.emergencies[id], !held.isApart, held.storedStepCount < count else {
        return nil
      }
      state.emergencies[id]?.detach()
      return state.emergencies[id]
    }
  }

  /// The held emergency with this identifier, if any.
  func current(_ id: UniversalID) -> HeldEmergency? { state.withLock { $0.emergencies[id] } }

  /// Removes an emergency that another one has replaced, or that can't be stored.
  func drop(_ id: UniversalID) { state.withLock { $0.emergencies[id] = nil } }

  /// Removes the emergencies of people who are no longer monitored, except offline ones.
  func forget(unless isMonitored: (AccountID) -> Bool) {
    state.withLock { state in
      state.emergencies = state.emergencies.filter {
        $0.value.isApart || isMonitored($0.value.row.account)
      }
    }
  }

  /// The database has stored a step of an emergency.
  func noteStored(_ id: UniversalID) {
    state.withLock { $0.emergencies[id]?.noteStored() }
  }

  /// Takes over the stored state of an emergency that is not offline.
  func follow(_ stored: FollowedEmergency) {
    state.withLock { state in
      guard let held = state.emergencies[stored.id], !held.isApart else { return }
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
    _ account: AccountID, _ rule: EmergencyRule, at now: WallTime
  ) -> FollowedEmergency? {
    state.withLock { state in
      let held = state.emergencies.values.lazy.map(\.row.followed)
      let all = Array(held) + state.followed.values.filter { state.emergencies[$0.id] == nil }
      return all.filter { $0.account == account && $0.rule == rule && $0.keepsRule(at: now) }
        .max { $0.measured < $1.measured }
    }
  }

  /// The newest offline emergency of an account and rule, which may be over.
  func present(_ account: AccountID, _ rule: EmergencyRule) -> FollowedEmergency? {
    state.withLock { state in
      state.emergencies.values.lazy.filter {
        $0.isApart && $0.row.account == account && $0.row.rule == rule
      }.map(\.row.followed).max { $0.measured < $1.measured }
    }
  }

  /// Aborts an emergency of an account that is offline, or would be; returns it. Nil if the
  /// database has it, unless a request to the database has failed.
  ///
  /// - Throws: `conflict` if it is too late.
  func abort(
    _ id: UniversalID, of account: AccountID, at now: WallTime, isAskedInVain: Bool = false
  ) throws(ApplicationError) -> HeldEmergency? {
    let outcome = state.withLock { state -> (isAborted: Bool, HeldEmergency)? in
      let isAlone = isAskedInVain || state.isAway
      let known = isAlone ? state.followed[id].map(HeldEmergency.init) : nil
      guard var held = state.emergencies[id] ?? known, held.row.account == account,
        held.isApart || isAlone
      else { return nil }
      let isAborted = held.abort(at: now)
      if isAborted { state.emergencies[id] = held }
      return (isAborted, held)
    }
    guard let (isAborted, held) = outcome else { return nil }
    guard isAborted else { throw .tooLateToAbort }
    return held
  }

  /// The journal contains the abort of an emergency; false if the emergency is not held.
  func noteJournaled(_ id: UniversalID) -> Bool {
    state.withLock { $0.emergencies[id]?.noteJournaled() != nil }
  }

  /// Holds an emergency whose abort another process acknowledged, and returns it.
  func restore(_ record: AbortRecord) -> HeldEmergency {
    var held = HeldEmergency(record.before)
    _ = held.abort(at: record.abortedAt)
    held.noteJournaled()
    return state.withLock { [held] state in
      state.emergencies[record.id] = held
      return held
    }
  }

  /// The emergency number has answered the call of this number; false if the emergency is not held.
  func listen(_ id: UniversalID, to number: Int32, until time: WallTime) -> Bool {
    state.withLock { $0.emergencies[id]?.listen(to: number, until: time) != nil }
  }

  /// That call was not heard to its end; false if the emergency is not held.
  func callAgain(_ id: UniversalID, behind number: Int32, at time: WallTime) -> Bool {
    state.withLock { $0.emergencies[id]?.callAgain(behind: number, at: time) != nil }
  }

  /// The emergency number has acknowledged; false if the emergency is not held.
  func acknowledge(_ id: UniversalID, at now: WallTime) -> Bool {
    state.withLock { $0.emergencies[id]?.acknowledge(at: now) != nil }
  }

  // MARK: By the clock

  /// Advances all offline emergencies whose stage is over, and returns them with the call to place.
  /// For people who withdrew the permission no call is placed, and for each person the emergency
  /// number is called once at a time.
  func advance(
    at now: WallTime, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    isPermitted: (AccountID) -> Bool, isNumberCalled: (AccountID) -> Bool
  ) -> [(HeldEmergency, HeldEmergency.Call?)] {
    state.withLock { state in
      let isAway = state.isAway
      var calledFor: Set<AccountID> = []
      var advanced: [(HeldEmergency, HeldEmergency.Call?)] = []
      for (id, held) in state.emergencies
      where held.isDue(at: now) && (held.isApart || isAway) {
        guard isPermitted(held.row.account) else {
          state.emergencies[id] = nil
          continue
        }
        let account = held.row.account
        var next = held
        let call = next.advance(
          at: now, settings, hospitals,
          mayCallNumber: !calledFor.contains(account) && !isNumberCalled(account))
        state.emergencies[id] = next
        if let call, call.hospital == nil { calledFor.insert(account) }
        guard call != nil || next.row.stage != held.row.stage else { continue }
        advanced.append((next, call))
      }
      return advanced
    }
  }

  /// The emergencies to store in their present state; none while the database is unavailable.
  func unstored() -> [HeldEmergency] {
    state.withLock { state in
      guard state.misses == 0 else { return [] }
      return state.emergencies.values.filter(\.isApart)
    }
  }

  /// An emergency was stored in this state. Later changes are stored again.
  func stored(_ held: HeldEmergency) {
    state.withLock { state in
      guard state.emergencies[held.row.id]?.version == held.version else { return }
      if held.row.stage.isBeforeCall {
        state.emergencies[held.row.id]?.attach()
      } else {
        state.emergencies[held.row.id] = nil
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
      "It is too late to abort: somebody is called, or it is over. A false alarm can still be "
        + "reported.")
  }
}
