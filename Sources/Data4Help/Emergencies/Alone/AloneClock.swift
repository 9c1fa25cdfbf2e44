import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Continues emergencies while the database is unavailable: asks, confirms and calls at the same
/// moments as the stored row would, and stores their course when the database is back (decision
/// 0024). One per process; for its loop.
package final class AloneClock {
  /// How often due emergencies are looked for.
  static let pause = Duration.milliseconds(100)
  /// The pause before storing is tried again after a failure.
  static let failurePause = Duration.milliseconds(500)

  private let surroundings: Surroundings
  private let watch: EmergencyWatch
  private let calling: EmergencyCalling
  private let hospitals: CallableHospitals
  private let poster: CallbackPoster
  private var held: HeldEmergencies { watch.held }
  private var work: RepeatingWork?
  private var restsUntil = MonotonicInstant.zero
  private var isBusy = false

  init(
    _ surroundings: Surroundings, _ watch: EmergencyWatch, _ calling: EmergencyCalling,
    poster: CallbackPoster
  ) {
    self.surroundings = surroundings
    self.watch = watch
    self.calling = calling
    self.poster = poster
    hospitals = CallableHospitals(
      surroundings, areAllAdmitted: watch.store.settings.areAllAdmitted)
  }

  /// Starts looking. On the loop, once.
  func start() {
    let bound = LoopBound(self, on: surroundings.loop)
    let work = RepeatingWork(on: surroundings.loop) {
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
    for (emergency, call) in held.advance(
      at: surroundings.world.now(), watch.store.settings, hospitals.all,
      isPermitted: watch.monitoring.watches, isNumberCalled: calling.underWay.isNumberCalled)
    {
      watch.tell(emergency)
      if let call { begin(call, for: emergency) }
    }
    guard !isBusy, !held.isAway, restsUntil <= surroundings.loop.now else { return }
    isBusy = true
    let bound = LoopBound(self, on: surroundings.loop)
    surroundings.loop.begin { await bound.value.catchUpAlone() }
  }

  private func catchUpAlone() async {
    await catchUp()
    isBusy = false
  }

  /// Stores the emergencies that continued offline, and reads which hospitals are on duty. On the
  /// loop.
  package func catchUp() async {
    do throws(ApplicationError) {
      for emergency in held.unstored() { try await store(emergency) }
      guard hospitals.areStale else { return }
      held.forget(unless: watch.monitoring.watches)
      try await hospitals.read()
    } catch {
      surroundings.log.failure(
        "store offline emergencies failed", error, level: .warning)
      restsUntil = surroundings.loop.now + Self.failurePause
    }
  }

  private func store(_ emergency: HeldEmergency) async throws(ApplicationError) {
    let id = emergency.row.id
    do throws(ApplicationError) {
      let isAdopted = try await calling.adopt(emergency) {
        held.current(id)?.version == emergency.version
      }
      if isAdopted {
        held.stored(emergency)
      } else {
        held.drop(id)
      }
      if !held.isApart(id) { watch.journal.remove(id) }
    } catch {
      guard error.reason != .unavailable else {
        // It changed in memory while the database was slow: store the current state.
        if let current = held.current(id), current.version != emergency.version, !held.isAway {
          return try await store(current)
        }
        throw error
      }
      // Its account was deleted.
      if error.reason == .notFound {
        held.drop(id)
        return watch.journal.remove(id)
      }
      surroundings.log.failure("store offline emergency failed", error, .safe("episode", id))
      restsUntil = surroundings.loop.now + Self.failurePause
    }
  }

  /// Loads the journal of aborts and stores them, before the clock starts. An abort that cannot be
  /// stored yet stays in memory, so that this process makes no call for its emergency.
  package func restore() async {
    do throws(SystemError) {
      for record in try watch.journal.recover() { watch.restore(record) }
    } catch {
      surroundings.log.failure("read abort journal failed", error)
    }
    await catchUp()
  }

  // MARK: Calls

  private func begin(_ call: HeldEmergency.Call, for emergency: HeldEmergency) {
    guard let hospital = hospitals.all.first(where: { $0.account == call.hospital }) else {
      return speak(call, for: emergency)
    }
    let bound = LoopBound(self, on: surroundings.loop)
    surroundings.loop.begin { await bound.value.call(hospital, call, for: emergency) }
  }

  private func call(
    _ hospital: CallableHospital, _ call: HeldEmergency.Call, for emergency: HeldEmergency
  ) async {
    let delivery = EmergencyDelivery(
      message: emergency.message, number: Int32(emergency.calls.count), calledAt: call.calledAt)
    let message = CallbackMessage(calling: delivery)
    let now = surroundings.world.now()
    let outcome = await poster.post(
      message.call(
        to: hospital.endpoint.url, under: hospital.endpoint.secrets(at: now), at: now))
    guard !outcome.isTaken else { return }
    let reason: LogField =
      switch outcome {
      case .answered(let status, _, _): .number("answered", status)
      case .failed(let failure): .safe("cause", failure)
      }
    surroundings.log.error(
      "call hospital offline failed",
      [.safe("episode", emergency.row.id), .number("hospital", hospital.account.rawValue), reason])
  }

  private func speak(_ call: HeldEmergency.Call, for emergency: HeldEmergency) {
    let sentence = VoiceSentence(
      message: emergency.message, municipality: nil, language: emergency.language,
      now: call.calledAt.timestamp)
    let spoken = calling.voiceCall(sentence, Int32(emergency.calls.count))
    let hangUp = calling.underWay.begin(spoken, of: emergency.row.account)
    let bound = LoopBound(self, on: surroundings.loop)
    surroundings.loop.begin {
      await bound.value.speak(spoken, call, until: hangUp, of: emergency.row.account)
    }
  }

  private func speak(
    _ spoken: VoiceCall, _ call: HeldEmergency.Call, until hangUp: HangUp, of account: AccountID
  ) async {
    let (held, calling, id) = (held, calling, spoken.id)
    let (world, loop) = (surroundings.world, surroundings.loop)
    // An emergency that is stored by then is no longer held.
    let outcome = await calling.voice.place(spoken, until: hangUp) {
      let until = world.now() + VoiceCall.speakingMax
      if held.listen(id, to: spoken.number, until: until) { return }
      loop.begin { await calling.notePickedUp(spoken, of: account) }
    }
    calling.underWay.end(hangUp)
    switch outcome {
    case .answered:
      if held.acknowledge(id, at: world.now()) { return }
      await calling.noteHeard(spoken, of: account)
    case .unanswered:
      let time = max(call.nextAt, world.now())
      if held.callAgain(id, behind: spoken.number, at: time) { return }
      await calling.noteUnheard(spoken, of: account, dueAt: call.nextAt)
    case .withdrawn: await calling.noteWithdrawn(spoken)
    }
  }
}
