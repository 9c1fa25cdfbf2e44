import AutomatedSOS
import Bytes
import Domain
import EventLoop
import HealthRecords
import Operations
import Postgres
import ServiceKit
import Time

/// Judges incoming readings, and applies the decisions. One per loop; all loops of the process
/// share the detectors.
package struct EmergencyWatch: UploadObserver {
  /// The pause before a transition is tried again after the database was unavailable.
  private static let retryPause = Duration.milliseconds(200)
  /// The interval of the check for an unavailable database while a request waits for it.
  private static let lookPause = Duration.milliseconds(100)

  /// The addition to a refusal's detail.
  private static let judged = "Nothing was stored; AutomatedSOS judged the readings it could read."

  let monitoring: Monitoring
  let store: EmergencyStore
  /// The emergencies that continue here while the database is unavailable.
  let copies: OfflineEmergencies
  let people: CallablePeople
  /// The types for which devices may raise emergencies.
  package let pairedTypes: PairedTypes
  /// Acknowledged aborts that are not stored yet.
  let journal: AbortJournal
  private let broadcaster: AlarmBroadcaster
  private let dependencies: EmergenciesDependencies

  init(
    _ dependencies: EmergenciesDependencies, _ settings: EmergencySettings,
    _ monitoring: Monitoring,
    _ copies: OfflineEmergencies, _ broadcaster: AlarmBroadcaster, _ journal: AbortJournal
  ) {
    self.dependencies = dependencies
    self.journal = journal
    self.copies = copies
    self.broadcaster = broadcaster
    people = CallablePeople(
      loop: dependencies.loop, database: dependencies.database,
      accountKeys: dependencies.accountKeys, log: dependencies.log, metrics: dependencies.metrics)
    pairedTypes = PairedTypes(on: dependencies.loop, log: dependencies.log)
    self.monitoring = monitoring
    store = EmergencyStore(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, root: dependencies.root, notices: dependencies.notices,
      settings)
  }

  /// Whether this process monitors an account.
  package func monitors(_ account: AccountID) -> Bool { monitoring.watches(account) }

  /// Whether a person is monitored. Looked up if the gateway has marked the request (`isMarked`)
  /// and this process does not know the account: the person may have enabled monitoring a moment
  /// ago at another replica, and the first reading counts (decision 0022). False if the database
  /// does not answer.
  package func watches(_ account: AccountID, isMarked: Bool) async -> Bool {
    if monitoring.watches(account) { return true }
    guard isMarked else { return false }
    do throws(PostgresError) {
      let row = try await dependencies.database.read(
        MonitoredUser(account: account), within: store.settings.lookMax
      ).first
      guard let row, row.permittedAt != nil else { return false }
      take(over: row)
      return true
    } catch {
      dependencies.log.failure(
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
  package func check(
    _ received: ReceivedSamples, from caller: Identity, in field: String
  ) async throws(ApplicationError) -> Bool {
    do throws(ApplicationError) {
      try await pairedTypes.check(
        received.all, from: caller, in: field, asking: dependencies.database,
        within: store.settings.lookMax)
      return true
    } catch {
      guard error.reason == .unavailable else {
        throw await refusal(error, judging: received, from: caller, isLast: false)
      }
      return false
    }
  }

  /// Judges the readable part of a refused body, as far as the device was paired for it: one wrong
  /// value must not hide an emergency. Returns the refusal, which mentions the judgement if there
  /// was one.
  func refusal(
    _ problem: ApplicationError, judging readable: ReceivedSamples, from caller: Identity,
    isLast: Bool
  ) async -> ApplicationError {
    guard monitoring.watches(caller.account) else { return problem }
    let types = await pairedTypes.types(
      of: caller, asking: dependencies.database, within: store.settings.lookMax)
    let judged = types.map { readable.only($0) } ?? readable
    guard !judged.all.isEmpty else { return problem }
    take(judged, of: caller.account, isLast: isLast)
    var notified = problem
    notified.detail = [problem.detail, Self.judged].compactMap(\.self).joined(separator: " ")
    return notified
  }

  /// The same for an upload.
  package func refusal(
    _ problem: ApplicationError, judging readable: ReceivedSamples, from caller: Identity
  ) async -> ApplicationError {
    await refusal(problem, judging: readable, from: caller, isLast: false)
  }

  /// Judges the samples of an upload.
  package func take(_ received: ReceivedSamples, of account: AccountID) {
    take(received, of: account, isLast: false)
  }

  /// Judges samples that have arrived, before any database is asked. Resulting transitions begin at
  /// once and run concurrently with the caller.
  private func take(_ received: ReceivedSamples, of account: AccountID, isLast: Bool) {
    guard monitoring.watches(account) else { return }
    people.keep(account)
    let judged = JudgedReadings(
      received, at: dependencies.environment.now().flooredToMilliseconds, isLast: isLast)
    guard !judged.isEmpty, judge(judged, of: account) else { return }
    dependencies.loop.begin { await applyTransitions(of: account) }
  }

  /// The same, and returns once the transitions are stored or `storeMax` is over.
  func takeAndWait(_ judged: JudgedReadings, of account: AccountID) async {
    if judge(judged, of: account) {
      let applying = PendingOutcome(on: dependencies.loop) { await applyTransitions(of: account) }
      if await applying.value(within: store.settings.storeMax()) == nil { return }
    }
    // Another task applies the transitions.
    let until = dependencies.loop.now + store.settings.storeMax()
    while !monitoring.isSettled(account), dependencies.loop.now < until {
      do throws(CancellationError) {
        try await dependencies.loop.wait(for: .milliseconds(20))
      } catch { return }
    }
  }

  /// Asks people after a first reading without a pulse that no other reading followed. On the loop.
  func askForPulses() {
    let now = dependencies.environment.now()
    for (account, transitions, mustApply) in monitoring.askForPulses(at: Moment(now)) {
      for transition in transitions { hold(transition, of: account, at: now) }
      if mustApply { dependencies.loop.begin { await applyTransitions(of: account) } }
    }
  }

  /// Waits for database work while the database answers. While an emergency is held here, a phone
  /// that sends its readings one after the other must not wait for a database that hangs.
  ///
  /// - Throws: the error of `work`; `unavailable` if the database is unavailable.
  package func whileDatabaseAnswers<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value {
    guard copies.count > 0 else { return try await work() }
    let pending = PendingOutcome(on: dependencies.loop, of: work)
    while true {
      if let outcome = await pending.value(within: Self.lookPause) { return try outcome.get() }
      guard !copies.isUnavailable else { throw .unavailable() }
    }
  }

  /// The result of database work within `storeMax`; nil if it takes longer or the database is
  /// unavailable.
  ///
  /// - Throws: any other error of `work`.
  func inTime<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value? {
    let pending = PendingOutcome(on: dependencies.loop, of: work)
    switch await pending.value(within: store.settings.storeMax()) {
    case .success(let value): return value
    case .failure(let problem) where problem.reason != .unavailable: throw problem
    case .failure, nil: return nil
    }
  }

  private func judge(_ judged: JudgedReadings, of account: AccountID) -> Bool {
    let now = dependencies.environment.now()
    let (transitions, mustApply) = monitoring.judge(
      judged, of: account, at: Moment(now), today: dependencies.today)
    for transition in transitions { hold(transition, of: account, at: now) }
    return mustApply
  }

  /// Keeps the decision in memory, so that it continues offline if the database becomes
  /// unavailable; at once if it already is.
  private func hold(_ transition: EmergencyTransition, of account: AccountID, at now: Instant) {
    let id = store.identifier(of: transition.emergency, account)
    let (taken, evicted) = copies.take(transition, id, of: account, people.person(account), at: now)
    if let evicted, let emergency = evicted.row.followed.emergency {
      monitoring.dropTransitions(of: emergency, evicted.row.account)
    }
    if let evicted { journal.remove(evicted.row.id) }
    guard let taken else { return }
    guard taken.isOffline || copies.isUnavailable else {
      let (copies, count) = (copies, taken.transitionCount)
      _ = dependencies.loop.schedule(after: store.settings.storeMax()) {
        guard let late = copies.goOffline(id, unlessStored: count) else { return }
        dependencies.log.warning(
          "store emergency failed",
          [
            .safe("emergency", id),
            .constant("cause", "timed out, the emergency continues offline"),
          ])
        publish(late)
      }
      return
    }
    publish(taken.isOffline ? taken : copies.goOffline(id) ?? taken)
  }

  /// Applies the queued transitions of an account, one after the other. An emergency whose database
  /// is unavailable continues here, and is stored as a whole later. Transitions of emergencies that
  /// are not held here are tried again until the database is back; other failures are logged, and
  /// the transition is dropped.
  private func applyTransitions(of account: AccountID) async {
    while let transition = monitoring.nextTransition(of: account) {
      let id = store.identifier(of: transition.emergency, account)
      if !copies.isOffline(id) {
        guard await apply(transition, id, of: account) else {
          do throws(CancellationError) {
            try await dependencies.loop.wait(for: Self.retryPause)
          } catch { return }
          continue
        }
      }
      monitoring.finishTransition(of: account)
    }
  }

  /// Applies a transition; false if it must be tried again.
  private func apply(
    _ transition: EmergencyTransition, _ id: UniversalID, of account: AccountID
  ) async -> Bool {
    do throws(ApplicationError) {
      let present = try await store.apply(transition, of: account) { copies.isOffline(id) }
      guard let present, present.id != id else {
        copies.noteStored(id)
        if let present { follow(present) }
        return true
      }
      copies.drop(id)
      follow(present)
      return true
    } catch {
      if error.reason == .notFound {
        copies.drop(id)
        return true
      }
      if copies.isOffline(id) { return true }
      if let taken = copies.goOffline(id) {
        publish(taken)
        return true
      }
      // A new emergency that is no longer held is over, and newer ones took its place: the
      // transitions after it must not wait.
      if error.reason == .unavailable, !transition.isNew { return false }
      dependencies.log.failure(
        "store transition of emergency failed", error, .safe("emergency", id))
      return true
    }
  }

  /// Publishes the stage of an offline emergency on the streams of this process, and passes it to
  /// the detector.
  func publish(_ copy: OfflineEmergency) {
    broadcaster.publish(copy.row, at: dependencies.environment.now())
    guard copy.row.stage != .suspected, let emergency = copy.row.followed.emergency else { return }
    monitoring.resume(emergency, copy.row.life, of: copy.row.account)
  }

  /// Aborts an emergency in memory and in the journal, if it is offline, the database is
  /// unavailable, or a request to the database has failed; false otherwise.
  ///
  /// - Throws: `conflict` if it is too late; `unavailable` if the journal cannot be written: the
  ///   abort is effective while this process runs, and can be repeated.
  func abort(
    _ id: UniversalID, of account: AccountID, hasDatabaseFailed: Bool = false
  ) async throws(ApplicationError) -> Bool {
    let now = dependencies.environment.now()
    let aborted = try copies.abort(id, of: account, at: now, hasDatabaseFailed: hasDatabaseFailed)
    guard let aborted, let record = AbortRecord(aborted.row) else { return false }
    publish(aborted)
    do throws(SystemError) { try await journal.add(record) } catch {
      dependencies.log.failure("write abort to journal failed", error, .safe("emergency", id))
      throw .abortNotWritten
    }
    // It may have been stored while the journal was written.
    if !copies.noteJournaled(id) { journal.remove(id) }
    return true
  }

  /// Holds an emergency whose abort another process acknowledged.
  func restore(_ record: AbortRecord) {
    let restored = copies.restore(record).row
    guard let emergency = restored.followed.emergency else { return }
    monitoring.resume(emergency, restored.life, of: restored.account)
  }

  /// Applies a person's monitoring settings before the follower reads them.
  func take(over row: MonitoredUserRow) {
    monitoring.apply(row, at: Moment(dependencies.environment.now()), today: dependencies.today)
  }

  /// Updates the person's detector from a stored emergency.
  func follow(_ stored: FollowedEmergency) {
    copies.follow(stored)
    guard let emergency = stored.emergency else { return }
    monitoring.resume(emergency, stored.life, of: stored.account)
  }

  /// Removes a stored emergency that ended meanwhile from the person's detector.
  func forget(_ stored: FollowedEmergency) {
    guard let emergency = stored.emergency else { return }
    monitoring.forget(emergency, of: stored.account)
  }
}
