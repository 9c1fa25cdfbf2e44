import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Time
import Webhooks

/// Continues emergencies while the database is unavailable: asks, confirms and calls at the same
/// moments as the stored row would, and stores their course when the database is back (decision
/// 0024). One per process; for its loop.
package final class OfflineScheduler {
  /// How often due emergencies are looked for.
  static let pause = Duration.milliseconds(100)
  /// The pause before storing is tried again after a failure.
  static let failurePause = Duration.milliseconds(500)

  private let dependencies: EmergenciesDependencies
  private let watch: EmergencyWatch
  private let calling: EmergencyCalling
  private let hospitals: CallableHospitals
  private let poster: CallbackPoster
  private var copies: OfflineEmergencies { watch.copies }
  private var work: PeriodicTask?
  private var restsUntil = MonotonicInstant.zero
  private var isBusy = false

  init(
    _ dependencies: EmergenciesDependencies, _ watch: EmergencyWatch, _ calling: EmergencyCalling,
    poster: CallbackPoster
  ) {
    self.dependencies = dependencies
    self.watch = watch
    self.calling = calling
    self.poster = poster
    hospitals = CallableHospitals(
      loop: dependencies.loop, database: dependencies.database,
      accountKeys: dependencies.accountKeys, log: dependencies.log, metrics: dependencies.metrics,
      areAllAdmitted: watch.store.settings.areAllAdmitted)
  }

  /// Starts looking. On the loop, once.
  func start() {
    let bound = LoopBound(self, on: dependencies.loop)
    let work = PeriodicTask(on: dependencies.loop) {
      bound.value.turn()
      return Self.pause
    }
    self.work = work
    work.start()
  }

  /// Stops after the work in progress. On the loop.
  func stop() async { await work?.stop() }

  /// Advances the offline emergencies that are due; database queries run concurrently.
  package func turn() {
    watch.askForPulses()
    for (emergency, call) in copies.advance(
      at: dependencies.environment.now(), watch.store.settings, hospitals.all,
      isPermitted: watch.monitoring.watches, isNumberCalled: calling.activeCalls.isNumberCalled)
    {
      watch.publish(emergency)
      if let call { begin(call, for: emergency) }
    }
    guard !isBusy, !copies.isUnavailable, restsUntil <= dependencies.loop.now else { return }
    isBusy = true
    let bound = LoopBound(self, on: dependencies.loop)
    dependencies.loop.begin { await bound.value.catchUpOnce() }
  }

  private func catchUpOnce() async {
    await catchUp()
    isBusy = false
  }

  /// Stores the emergencies that continued offline, and reads which hospitals are on duty. On the
  /// loop.
  package func catchUp() async {
    do throws(ApplicationError) {
      for emergency in copies.unstored() { try await store(emergency) }
      guard hospitals.areStale else { return }
      copies.forget(unless: watch.monitoring.watches)
      try await hospitals.read()
    } catch {
      dependencies.log.failure(
        "store offline emergencies failed", error, level: .warning)
      restsUntil = dependencies.loop.now + Self.failurePause
    }
  }

  private func store(_ emergency: OfflineEmergency) async throws(ApplicationError) {
    let id = emergency.row.id
    do throws(ApplicationError) {
      let isReconciled = try await calling.reconcile(emergency) {
        copies.current(id)?.version == emergency.version
      }
      if isReconciled {
        copies.stored(emergency)
      } else {
        copies.drop(id)
      }
      if !copies.isOffline(id) { watch.journal.remove(id) }
    } catch {
      guard error.reason != .unavailable else {
        // It changed in memory while the database was slow: store the current state.
        if let current = copies.current(id), current.version != emergency.version,
          !copies.isUnavailable
        {
          return try await store(current)
        }
        throw error
      }
      // Its account was deleted.
      if error.reason == .notFound {
        copies.drop(id)
        return watch.journal.remove(id)
      }
      dependencies.log.failure("store offline emergency failed", error, .safe("emergency", id))
      restsUntil = dependencies.loop.now + Self.failurePause
    }
  }

  /// Loads the journal of aborts and stores them, before the scheduler starts. An abort that cannot
  /// be stored yet stays in memory, so that this process makes no call for its emergency.
  package func restore() async {
    do throws(SystemError) {
      for record in try watch.journal.recover() { watch.restore(record) }
    } catch {
      dependencies.log.failure("read abort journal failed", error)
    }
    await catchUp()
  }

  // MARK: Calls

  private func begin(_ call: OfflineEmergency.Call, for emergency: OfflineEmergency) {
    guard let hospital = hospitals.all.first(where: { $0.account == call.hospital }) else {
      return speak(call, for: emergency)
    }
    let bound = LoopBound(self, on: dependencies.loop)
    dependencies.loop.begin { await bound.value.call(hospital, call, for: emergency) }
  }

  private func call(
    _ hospital: CallableHospital, _ call: OfflineEmergency.Call, for emergency: OfflineEmergency
  ) async {
    let delivery = EmergencyDelivery(
      message: emergency.message, number: Int32(emergency.calls.count), calledAt: call.calledAt)
    let message = CallbackMessage(calling: delivery)
    let now = dependencies.environment.now()
    let outcome = await poster.post(
      message.call(
        to: hospital.endpoint.url, under: hospital.endpoint.secrets(at: now), at: now))
    guard !outcome.isTaken else { return }
    let reason: LogField =
      switch outcome {
      case .answered(let status, _, _): .number("answered", status)
      case .failed(let failure): .safe("cause", failure)
      }
    dependencies.log.error(
      "call hospital offline failed",
      [
        .safe("emergency", emergency.row.id), .number("hospital", hospital.account.rawValue),
        reason,
      ])
  }

  private func speak(_ call: OfflineEmergency.Call, for emergency: OfflineEmergency) {
    let sentence = VoiceSentence(
      message: emergency.message, municipality: nil, language: emergency.language,
      now: call.calledAt.flooredToMilliseconds)
    let spoken = calling.voiceCall(sentence, Int32(emergency.calls.count))
    let cancellation = calling.activeCalls.begin(spoken, of: emergency.row.account)
    let bound = LoopBound(self, on: dependencies.loop)
    dependencies.loop.begin {
      await bound.value.speak(spoken, call, until: cancellation, of: emergency.row.account)
    }
  }

  private func speak(
    _ spoken: VoiceCall, _ call: OfflineEmergency.Call, until cancellation: CancellationToken,
    of account: AccountID
  ) async {
    let (copies, calling, id) = (copies, calling, spoken.id)
    let (environment, loop) = (dependencies.environment, dependencies.loop)
    // An emergency that is stored by then is no longer held.
    let outcome = await calling.voice.place(spoken, until: cancellation) {
      let until = environment.now() + VoiceCall.speakingMax
      if copies.listen(id, to: spoken.number, until: until) { return }
      loop.begin { await calling.notePickedUp(spoken, of: account) }
    }
    calling.activeCalls.end(cancellation)
    switch outcome {
    case .answered:
      if copies.acknowledge(id, at: environment.now()) { return }
      await calling.noteHeard(spoken, of: account)
    case .unanswered:
      let time = max(call.nextAt, environment.now())
      if copies.callAgain(id, after: spoken.number, at: time) { return }
      await calling.noteUnheard(spoken, of: account, dueAt: call.nextAt)
    case .withdrawn: await calling.noteWithdrawn(spoken)
    }
  }
}
