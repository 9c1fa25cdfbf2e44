import AutomatedSOS
import Bytes
import Domain
import Time

/// An emergency that this process has raised, and that it continues by itself while the database is
/// unavailable (decision 0024).
struct OfflineEmergency: Sendable {
  /// A call that this process placed offline.
  struct Call: Sendable, Equatable {
    /// Nil for the emergency number.
    let hospital: AccountID?
    let calledAt: Instant
    /// The time of the next call, if this one is not acknowledged.
    let nextAt: Instant
  }

  /// The row to store, without the sealed columns.
  private(set) var row: EmergencyRow
  private(set) var details: EmergencyDetails
  /// The person, once known here.
  private(set) var person: CalledPerson?
  /// In the order of the calls.
  private(set) var calls: [Call] = []
  /// Whether it is offline, so that this state must be stored.
  private(set) var isOffline = false
  /// Whether the database has it, so that the stored row would advance by itself.
  private(set) var isStored = false
  /// The number of changes on this process.
  private(set) var version = 0
  /// Number of detector transitions applied here.
  private(set) var transitionCount = 1
  /// Number of these transitions that are stored.
  private(set) var storedTransitionCount = 0
  /// Whether readings and position are unknown here.
  let isWithoutDetails: Bool
  /// Whether it was aborted here and the journal does not contain the abort yet.
  private(set) var isUnjournaled = false

  /// An emergency that a detector has just raised.
  init(
    _ transition: EmergencyTransition, _ id: UniversalID, of account: AccountID,
    _ person: CalledPerson?
  ) {
    row = EmergencyRow(id, transition, of: account)
    details = EmergencyDetails(transition)
    isWithoutDetails = false
    self.person = person
  }

  /// An emergency raised by another process, from the database or the journal.
  init(_ known: FollowedEmergency) {
    row = EmergencyRow(known)
    details = EmergencyDetails()
    isWithoutDetails = true
    isStored = true
  }

  /// Whether it may be removed to make room: it has no countdown, and the database does not contain
  /// an emergency that would continue although it was aborted or withdrawn here.
  var isSettled: Bool { row.dueAt == nil && !(isOffline && isStored) }

  /// The database has stored a transition of it.
  mutating func noteStored() {
    isStored = true
    storedTransitionCount += 1
  }

  /// The journal contains the abort.
  mutating func noteJournaled() { isUnjournaled = false }

  /// Whether its stage is over at this time.
  func isDue(at now: Instant) -> Bool { row.dueAt.map { $0 <= now } ?? false }

  /// Applies the next decision of a detector.
  mutating func take(_ transition: EmergencyTransition, _ person: CalledPerson?, at now: Instant) {
    self.person = person ?? self.person
    details.add(transition)
    transitionCount += 1
    if row.take(transition, at: now) { version += 1 }
  }

  /// Takes over the stored state.
  mutating func follow(_ stored: FollowedEmergency) {
    isStored = true
    row.follow(stored)
  }

  /// Takes it offline, because the database does not answer.
  mutating func goOffline() {
    isOffline = true
    version += 1
  }

  /// Its present state was stored.
  mutating func noteReconciled() { (isOffline, isStored) = (false, true) }

  /// Aborts it; false if it is too late. Repeatable until the journal contains the abort.
  mutating func abort(at now: Instant) -> Bool {
    if isUnjournaled { return true }
    guard row.abort(at: now) else { return false }
    isUnjournaled = true
    goOffline()
    return true
  }

  /// The call of this number was picked up: the next one waits for its end.
  mutating func listen(to number: Int32, until time: Instant) {
    if isNewest(number) { row.listen(until: time) }
  }

  /// That call was not heard completely.
  mutating func callAgain(after number: Int32, at time: Instant) {
    if isNewest(number) { row.callAgain(at: time) }
  }

  /// Whether no call was placed after that of this number; the result of an earlier one is
  /// outdated.
  private func isNewest(_ number: Int32) -> Bool {
    row.stage == .dispatched && Int(number) == calls.count
  }

  /// The emergency number has acknowledged.
  mutating func acknowledge(at now: Instant) {
    guard row.stage == .dispatched else { return }
    row.acknowledge(at: now)
    version += 1
  }

  /// Advances a stage that is over. Returns the call to place, if any; after a day of calls it ends
  /// as unanswered instead. A call to the emergency number that is not possible now is considered
  /// again soon.
  mutating func advance(
    at now: Instant, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    mayCallNumber: Bool
  ) -> Call? {
    goOffline()
    guard row.isCallDue(at: now) else {
      _ = row.advance(at: now, window: .seconds(settings.abortSeconds))
      return nil
    }
    guard !row.isCallingOver(at: now) else {
      row.close(.unanswered, nil, at: now)
      return nil
    }
    return call(at: now, settings, hospitals, mayCallNumber: mayCallNumber)
  }

  private mutating func call(
    at now: Instant, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    mayCallNumber: Bool
  ) -> Call? {
    let called = Set(calls.compactMap(\.hospital))
    let left = hospitals.filter { !called.contains($0.account) }
    let nearest = left.nearest(to: details.position)
    guard nearest != nil || mayCallNumber else {
      row.waitForTurn(until: now + EmergencyCalling.turnPause)
      return nil
    }
    let pause = EmergencyCalling.pause(after: Int32(calls.count) + 1, settings)
    let call = Call(hospital: nearest?.account, calledAt: now, nextAt: now + pause)
    calls.append(call)
    row.call(at: now, acknowledgeWithin: pause)
    return call
  }

  /// The message to a hospital.
  var message: EmergencyMessage { EmergencyMessage(row, details, person ?? .unknown) }

  /// The language of messages to other people.
  var language: EmergencyLanguage { (person ?? .unknown).language }
}
