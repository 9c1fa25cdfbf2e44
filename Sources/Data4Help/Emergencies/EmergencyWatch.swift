import AutomatedSOS
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Judges incoming readings, and carries out the decisions. One per loop; all loops of the process
/// share the detectors.
package struct EmergencyWatch: Sendable {
  /// The pause of a step after the database was unavailable.
  private static let retryPause = Duration.milliseconds(200)
  /// The interval of the check for an unavailable database while a request waits for it.
  private static let lookPause = Duration.milliseconds(100)

  /// The addition to a refusal's detail.
  private static let judged = "Nothing was stored; AutomatedSOS judged the readings it could read."

  let monitoring: Monitoring
  let store: EmergencyStore
  /// The emergencies that continue here while the database is unavailable.
  let held: HeldEmergencies
  let people: CallablePeople
  /// The types for which devices may raise emergencies.
  let pairedTypes: PairedTypes
  /// Acknowledged aborts that are not stored yet.
  let journal: AbortJournal
  private let herald: AlarmHerald
  private let surroundings: Surroundings

  init(
    _ surroundings: Surroundings, _ settings: EmergencySettings, _ monitoring: Monitoring,
    _ held: HeldEmergencies, _ herald: AlarmHerald, _ journal: AbortJournal
  ) {
    self.surroundings = surroundings
    self.journal = journal
    self.held = held
    self.herald = herald
    people = CallablePeople(surroundings)
    pairedTypes = PairedTypes(on: surroundings.loop, log: surroundings.log)
    self.monitoring = monitoring
    store = EmergencyStore(surroundings, settings)
  }

  /// Whether a person is monitored. Looked up if the gateway says so (`isSaid`) and this process
  /// does not know it: the person may have enabled monitoring a moment ago at another replica, and
  /// the first reading counts (decision 0022). False if the database does not answer.
  func watches(_ account: AccountID, isSaid: Bool) async -> Bool {
    if monitoring.watches(account) { return true }
    guard isSaid else { return false }
    do throws(PostgresError) {
      let row = try await surroundings.database.read(
        MonitoredUser(account: account), within: store.settings.lookMax
      ).first
      guard let row, row.permittedAt != nil else { return false }
      take(over: row)
      return true
    } catch {
      surroundings.log.failure(
        "look up monitored account failed", error, level: .warning,
        .number("account_id", account.rawValue))
      return false
    }
  }

  /// Checks that a device was paired for the types of its samples, before they are judged. False if
  /// its types are not known in time: the samples are then accepted, because an alarm must not be
  /// lost. Immediate for a device that is known here; for another one the database has `lookMax` to
  /// answer.
  ///
  /// - Throws: `forbidden` for a type that it was not paired for.
  ///
  /// Samples of the paired types are judged before the rest is refused.
  func check(
    _ received: ReceivedSamples, from caller: Identity, in field: String
  ) async throws(ApplicationError) -> Bool {
    do throws(ApplicationError) {
      try await pairedTypes.check(
        received.all, from: caller, in: field, asking: surroundings.database,
        within: store.settings.lookMax)
      return true
    } catch {
      guard error.reason == .unavailable else {
        throw await refusal(error, judging: received, from: caller)
      }
      return false
    }
  }

  /// Judges the readable part of a refused body, as far as the device was paired for it: one wrong
  /// value must not hide an emergency. Returns the refusal, which mentions the judgement if there
  /// was one.
  func refusal(
    _ problem: ApplicationError, judging readable: ReceivedSamples, from caller: Identity,
    isLast: Bool = false
  ) async -> ApplicationError {
    guard monitoring.watches(caller.account) else { return problem }
    let types = await pairedTypes.types(
      of: caller, asking: surroundings.database, within: store.settings.lookMax)
    let judged = types.map { readable.only($0) } ?? readable
    guard !judged.all.isEmpty else { return problem }
    take(judged, of: caller.account, isLast: isLast)
    var told = problem
    told.detail = [problem.detail, Self.judged].compactMap(\.self).joined(separator: " ")
    return told
  }

  /// Judges samples that have arrived, before any database is asked. Resulting steps begin at once
  /// and run concurrently with the caller.
  func take(_ received: ReceivedSamples, of account: AccountID, isLast: Bool = false) {
    guard monitoring.watches(account) else { return }
    people.keep(account)
    let judged = JudgedReadings(
      received, at: surroundings.world.now().timestamp, isLast: isLast)
    guard !judged.isEmpty, judge(judged, of: account) else { return }
    surroundings.loop.begin { await carry(account) }
  }

  /// The same, and returns once the steps are stored or `storeMax` is over.
  func takeAndWait(_ judged: JudgedReadings, of account: AccountID) async {
    if judge(judged, of: account) {
      let carrying = PendingOutcome(on: surroundings.loop) { await carry(account) }
      if await carrying.value(within: store.settings.storeMax()) == nil { return }
    }
    // Another task carries out the steps.
    let until = surroundings.loop.now + store.settings.storeMax()
    while !monitoring.isSettled(account), surroundings.loop.now < until {
      do throws(CancellationError) {
        try await surroundings.loop.wait(for: .milliseconds(20))
      } catch { return }
    }
  }

  /// Asks people after a first reading without a pulse that no other reading followed. On the loop.
  func askForPulses() {
    let now = surroundings.world.now()
    for (account, steps, isToBeCarried) in monitoring.askForPulses(at: Moment(now)) {
      for step in steps { hold(step, of: account, at: now) }
      if isToBeCarried { surroundings.loop.begin { await carry(account) } }
    }
  }

  /// Waits for database work while the database answers. While an emergency is held here, a phone
  /// that sends its readings one after the other must not wait for a database that hangs.
  ///
  /// - Throws: the error of `work`; `unavailable` if the database is unavailable.
  func whileDatabaseAnswers<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value {
    guard held.count > 0 else { return try await work() }
    let pending = PendingOutcome(on: surroundings.loop, of: work)
    while true {
      if let outcome = await pending.value(within: Self.lookPause) { return try outcome.get() }
      guard !held.isAway else { throw .unavailable() }
    }
  }

  /// The result of database work within `storeMax`; nil if it takes longer or the database is
  /// unavailable.
  ///
  /// - Throws: any other error of `work`.
  func inTime<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value? {
    let pending = PendingOutcome(on: surroundings.loop, of: work)
    switch await pending.value(within: store.settings.storeMax()) {
    case .success(let value): return value
    case .failure(let problem) where problem.reason != .unavailable: throw problem
    case .failure, nil: return nil
    }
  }

  private func judge(_ judged: JudgedReadings, of account: AccountID) -> Bool {
    let now = surroundings.world.now()
    let (steps, isToBeCarried) = monitoring.judge(
      judged, of: account, at: Moment(now), today: surroundings.today)
    for step in steps { hold(step, of: account, at: now) }
    return isToBeCarried
  }

  /// Keeps the decision in memory, so that it continues offline if the database becomes
  /// unavailable; at once if it already is.
  private func hold(_ step: EmergencyStep, of account: AccountID, at now: WallTime) {
    let id = store.identifier(of: step.emergency, account)
    let (taken, gone) = held.take(step, id, of: account, people.person(account), at: now)
    if let gone, let emergency = gone.row.followed.emergency {
      monitoring.dropSteps(of: emergency, gone.row.account)
    }
    if let gone { journal.remove(gone.row.id) }
    guard let taken else { return }
    guard taken.isApart || held.isAway else {
      let (held, count) = (held, taken.stepCount)
      _ = surroundings.loop.schedule(after: store.settings.storeMax()) {
        guard let late = held.detach(id, unlessStored: count) else { return }
        surroundings.log.warning(
          "store emergency failed",
          [.safe("episode", id), .word("cause", "timed out, the emergency continues offline")])
        tell(late)
      }
      return
    }
    tell(taken.isApart ? taken : held.detach(id) ?? taken)
  }

  /// Carries out the queued steps of an account, one after the other. An emergency whose database
  /// is unavailable continues here, and is stored as a whole later. Steps of emergencies that are
  /// not held here are tried again until the database is back; other failures are logged, and the
  /// step is dropped.
  private func carry(_ account: AccountID) async {
    while let step = monitoring.nextStep(of: account) {
      let id = store.identifier(of: step.emergency, account)
      if !held.isApart(id) {
        guard await carry(step, id, of: account) else {
          do throws(CancellationError) {
            try await surroundings.loop.wait(for: Self.retryPause)
          } catch { return }
          continue
        }
      }
      monitoring.finishStep(of: account)
    }
  }

  /// Carries a step out; false if it must be tried again.
  private func carry(
    _ step: EmergencyStep, _ id: UniversalID, of account: AccountID
  ) async -> Bool {
    do throws(ApplicationError) {
      let present = try await store.carry(step, of: account) { held.isApart(id) }
      guard let present, present.id != id else {
        held.noteStored(id)
        if let present { follow(present) }
        return true
      }
      held.drop(id)
      follow(present)
      return true
    } catch {
      if error.reason == .notFound {
        held.drop(id)
        return true
      }
      if held.isApart(id) { return true }
      if let taken = held.detach(id) {
        tell(taken)
        return true
      }
      // A new emergency that is no longer held is over, and newer ones took its place: the steps
      // after it must not wait.
      if error.reason == .unavailable, !step.isNew { return false }
      surroundings.log.failure("store step of emergency failed", error, .safe("episode", id))
      return true
    }
  }

  /// Notifies the person on the streams of this process, and the detector, of the stage of an
  /// offline emergency.
  func tell(_ held: HeldEmergency) {
    herald.tell(held.row, at: surroundings.world.now())
    guard held.row.stage != .suspected, let emergency = held.row.followed.emergency else { return }
    monitoring.resume(emergency, held.row.life, of: held.row.account)
  }

  /// Aborts an emergency in memory and in the journal, if it is offline, the database is
  /// unavailable, or a request to the database has failed; false otherwise.
  ///
  /// - Throws: `conflict` if it is too late; `unavailable` if the journal cannot be written: the
  ///   abort is effective while this process runs, and can be repeated.
  func abort(
    _ id: UniversalID, of account: AccountID, isAskedInVain: Bool = false
  ) async throws(ApplicationError) -> Bool {
    let now = surroundings.world.now()
    let aborted = try held.abort(id, of: account, at: now, isAskedInVain: isAskedInVain)
    guard let aborted, let record = AbortRecord(aborted.row) else { return false }
    tell(aborted)
    do throws(SystemError) { try await journal.add(record) } catch {
      surroundings.log.failure("write abort to journal failed", error, .safe("episode", id))
      throw .abortNotWritten
    }
    // It may have been stored while the journal was written.
    if !held.noteJournaled(id) { journal.remove(id) }
    return true
  }

  /// Holds an emergency whose abort another process acknowledged.
  func restore(_ record: AbortRecord) {
    let restored = held.restore(record).row
    guard let emergency = restored.followed.emergency else { return }
    monitoring.resume(emergency, restored.life, of: restored.account)
  }

  /// Applies a person's monitoring settings before the follower reads them.
  func take(over row: MonitoredUserRow) {
    monitoring.apply(row, at: Moment(surroundings.world.now()), today: surroundings.today)
  }

  /// Updates the person's detector from a stored emergency.
  func follow(_ stored: FollowedEmergency) {
    held.follow(stored)
    guard let emergency = stored.emergency else { return }
    monitoring.resume(emergency, stored.life, of: stored.account)
  }

  /// Removes a stored emergency that ended meanwhile from the person's detector.
  func forget(_ stored: FollowedEmergency) {
    guard let emergency = stored.emergency else { return }
    monitoring.forget(emergency, of: stored.account)
  }
}
