import AutomatedSOS
import Domain
import EventLoop
import Privacy

/// An emergency that this process has raised, and that it continues by itself while the database is
/// unavailable (decision 0024).
struct HeldEmergency: Sendable {
  /// A call that this process placed offline.
  struct Call: Sendable, Equatable {
    /// Nil for the emergency number.
    let hospital: AccountID?
    let calledAt: WallTime
    /// The time of the next call, if this one is not acknowledged.
    let nextAt: WallTime
  }

  /// The row to store, without the sealed columns.
  private(set) var row: EmergencyRow
  private(set) var details: EmergencyDetails
  /// The person, once known here.
  private(set) var person: CalledPerson?
  /// In the order of the calls.
  private(set) var calls: [Call] = []
  /// Whether it is offline, so that this state must be stored.
  private(set) var isApart = false
  /// Whether the database has it, so that the stored row would advance by itself.
  private(set) var isStored = false
  /// Counts the changes made here.
  private(set) var version = 0
  /// Number of detector steps applied here.
  private(set) var stepCount = 1
  /// Number of these steps that are stored.
  private(set) var storedStepCount = 0
  /// Whether readings and position are unknown here.
  let isWithoutDetails: Bool
  /// Whether it was aborted here and the journal does not contain the abort yet.
  private(set) var isUnjournaled = false

  /// An emergency that a detector has just raised.
  init(
    _ step: EmergencyStep, _ id: UniversalID, of account: AccountID, _ person: CalledPerson?
  ) {
    row = EmergencyRow(id, step, of: account)
    details = EmergencyDetails(step)
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
  var isSettled: Bool { row.dueAt == nil && !(isApart && isStored) }

  /// The database has stored a step of it.
  mutating func noteStored() {
    isStored = true
    storedStepCount += 1
  }

  /// The journal contains the abort.
  mutating func noteJournaled() { isUnjournaled = false }

  /// Whether its stage is over at this time.
  func isDue(at now: WallTime) -> Bool { row.dueAt.map { $0 <= now } ?? false }

  /// Applies the next decision of a detector.
  mutating func take(_ step: EmergencyStep, _ person: CalledPerson?, at now: WallTime) {
    self.person = person ?? self.person
    details.add(step)
    stepCount += 1
    if row.take(step, at: now) { version += 1 }
  }

  /// Takes over the stored state.
  mutating func follow(_ stored: FollowedEmergency) {
    isStored = true
    row.follow(stored)
  }

  /// Takes it offline, because the database does not answer.
  mutating func detach() {
    isApart = true
    version += 1
  }

  /// It was stored in its present state.
  mutating func attach() { (isApart, isStored) = (false, true) }

  /// Aborts it; false if it is too late. Repeatable until the journal contains the abort.
  mutating func abort(at now: WallTime) -> Bool {
    if isUnjournaled { return true }
    guard row.abort(at: now) else { return false }
    isUnjournaled = true
    detach()
    return true
  }

  /// The call of this number was picked up: the next one waits for its end.
  mutating func listen(to number: Int32, until time: WallTime) {
    if isNewest(number) { row.listen(until: time) }
  }

  /// That call was not heard to its end.
  mutating func callAgain(behind number: Int32, at time: WallTime) {
    if isNewest(number) { row.callAgain(at: time) }
  }

  /// Whether no call was placed after that of this number; the result of an earlier one is
  /// outdated.
  private func isNewest(_ number: Int32) -> Bool {
    row.stage == .dispatched && Int(number) == calls.count
  }

  /// The emergency number has acknowledged.
  mutating func acknowledge(at now: WallTime) {
    guard row.stage == .dispatched else { return }
    row.acknowledge(at: now)
    version += 1
  }

  /// Advances a stage that is over. Returns the call to place, if any. A call to the emergency
  /// number that is not possible now is considered again soon.
  mutating func advance(
    at now: WallTime, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    mayCallNumber: Bool
  ) -> Call? {
    detach()
    guard row.isCallDue(at: now) else {
      _ = row.advance(at: now, window: .seconds(settings.abortSeconds))
      return nil
    }
    return call(at: now, settings, hospitals, mayCallNumber: mayCallNumber)
  }

  private mutating func call(
    at now: WallTime, _ settings: EmergencySettings, _ hospitals: [CallableHospital],
    mayCallNumber: Bool
  ) -> Call? {
    let called = Set(calls.compactMap(\.hospital))
    let left = hospitals.filter { !called.contains($0.account) }
    let nearest = left.nearest(to: details.position)
    guard nearest != nil || mayCallNumber else {
      row.waitForTurn(until: now + EmergencyCalling.turnPause)
      return nil
    }
    let pause = EmergencyCalling.pause(behind: Int32(calls.count) + 1, settings)
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

/// The person of an emergency, as far as this process knows.
struct CalledPerson: Sendable {
  let name: String
  let phone: String?
  let birthDate: CalendarDate?
  let sex: Sex?
  let language: EmergencyLanguage

  /// A person without a profile in memory: the call contains place and readings, but no name.
  static let unknown = CalledPerson(
    name: "Persona non nota / person not known", phone: nil, birthDate: nil, sex: nil,
    language: .italian)
}
