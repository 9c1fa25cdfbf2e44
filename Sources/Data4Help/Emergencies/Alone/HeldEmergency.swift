import AutomatedSOS
import Domain
import EventLoop
import Privacy

/// An emergency that this process has raised, as it goes on with it by itself while the database is
/// away (decision 0024).
struct HeldEmergency: Sendable {
  /// A call that this process made by itself.
  struct Call: Sendable, Equatable {
    /// Nil for the emergency number.
    let hospital: AccountID?
    let calledAt: WallTime
    /// When the next call is due, if nobody takes this one.
    let nextAt: WallTime
  }

  /// As it would be stored, but for what is sealed.
  private(set) var row: EmergencyRow
  private(set) var details: EmergencyDetails
  /// Who it is about, once that is known here.
  private(set) var person: CalledPerson?
  /// In their order.
  private(set) var calls: [Call] = []
  /// Whether it has gone on here alone, so that it is stored as it stands here.
  private(set) var isApart = false
  /// Whether the database has it, so that the row would go on by itself.
  private(set) var isStored = false
  /// Counts what happened to it here.
  private(set) var version = 0
  /// Number of detector steps applied here.
  private(set) var stepCount = 1
  /// Number of these steps that are stored.
  private(set) var storedStepCount = 0
  /// Whether readings and position are unknown here.
  let isWithoutDetails: Bool
  /// Whether it was aborted here and the journal does not contain the abort yet.
  private(set) var isUnjournaled = false

  /// What a detector has just decided.
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

  /// Whether it may be forgotten to make room: nothing of it counts down, and the database has
  /// nothing that would go on although it was aborted or withdrawn here.
  var isSettled: Bool { row.dueAt == nil && !(isApart && isStored) }

  /// The database has a step of it.
  mutating func noteStored() {
    isStored = true
    storedStepCount += 1
  }

  /// The journal contains the abort.
  mutating func noteJournaled() { isUnjournaled = false }

  /// Whether its stage is over by this time.
  func isDue(at now: WallTime) -> Bool { row.dueAt.map { $0 <= now } ?? false }

  /// Takes what a detector decided next.
  mutating func take(_ step: EmergencyStep, _ person: CalledPerson?, at now: WallTime) {
    self.person = person ?? self.person
    details.add(step)
    stepCount += 1
    if row.take(step, at: now) { version += 1 }
  }

  /// Takes over what the database has of it.
  mutating func follow(_ stored: FollowedEmergency) {
    isStored = true
    row.follow(stored)
  }

  /// The database does not answer: it goes on here.
  mutating func detach() {
    isApart = true
    version += 1
  }

  /// It was stored as it stands.
  mutating func attach() { (isApart, isStored) = (false, true) }

  /// Aborts it; false if it is too late. Repeatable until the journal contains the abort.
  mutating func abort(at now: WallTime) -> Bool {
    if isUnjournaled { return true }
    guard row.abort(at: now) else { return false }
    isUnjournaled = true
    detach()
    return true
  }

  /// Somebody has picked up the call of this number: the next one waits for them.
  mutating func listen(to number: Int32, until time: WallTime) {
    if isNewest(number) { row.listen(until: time) }
  }

  /// Nobody has heard that call to its end.
  mutating func callAgain(behind number: Int32, at time: WallTime) {
    if isNewest(number) { row.callAgain(at: time) }
  }

  /// Whether no call was placed after that of this number; what comes of an earlier one is late.
  private func isNewest(_ number: Int32) -> Bool {
    row.stage == .dispatched && Int(number) == calls.count
  }

  /// The emergency number was answered.
  mutating func acknowledge(at now: WallTime) {
    guard row.stage == .dispatched else { return }
    row.acknowledge(at: now)
    version += 1
  }

  /// Ends the stage whose time is over. Gives the call that is to be made, if one is; where that
  /// would be to the number and can't be now, it is looked again soon.
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

  /// What a hospital is told of it.
  var message: EmergencyMessage { EmergencyMessage(row, details, person ?? .unknown) }

  /// The language in which others are told.
  var language: EmergencyLanguage { (person ?? .unknown).language }
}

/// Who an emergency is about, as far as this process knows.
struct CalledPerson: Sendable {
  let name: String
  let phone: String?
  let birthDate: CalendarDate?
  let sex: Sex?
  let language: EmergencyLanguage

  /// Somebody whose profile is not in memory: the call says where and what, and not who.
  static let unknown = CalledPerson(
    name: "Persona non nota / person not known", phone: nil, birthDate: nil, sex: nil,
    language: .italian)
}
