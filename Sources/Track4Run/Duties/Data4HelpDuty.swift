import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The whole conversation with Data4Help, as one process of all replicas has it: what is ordered
/// there, what is told from there, and what the time does to check-ins. For its loop.
package final class Data4HelpDuty {
  /// How often orders are looked for that another process has written.
  static let sendingPause = Duration.milliseconds(250)
  /// How long sending rests while Data4Help is away.
  static let awayPause = Duration.milliseconds(500)
  /// How often waiting orders are counted.
  static let countingPause = Duration.seconds(5)
  /// How long Data4Help may take for an order of many people.
  static let orderMax = Duration.seconds(30)
  /// How long orders that were set aside are kept.
  static let refusedKeptFor = Duration.seconds(7 * 86_400)

  private let surroundings: RunSurroundings
  private let duty: Duty
  private let follower: Follower
  private let clock: CheckInClock
  private let loop: EventLoop
  /// What sends orders, to be woken by each that is written.
  private var senders: [RepeatingWork] = []
  private var works: [RepeatingWork] = []

  /// The conversation with the replicas at these addresses; check-in opens so long before the
  /// start. `lostSignals` is asked on the loop for runners of whom no position comes any more.
  init(
    _ surroundings: RunSurroundings, opensBefore: Duration, addresses: [SocketAddress],
    secret: InternalSecret, lostSignals: @escaping () -> [LostSignal], on loop: EventLoop
  ) {
    self.surroundings = surroundings
    self.loop = loop
    duty = Duty(surroundings, on: loop)
    clock = CheckInClock(surroundings: surroundings, opensBefore: opensBefore)
    let departures = AccountDepartures(surroundings)
    follower = Follower(
      surroundings, effects: EventEffects(surroundings, departures: departures), duty: duty,
      addresses: addresses, secret: secret, on: loop)
    let closing = RunClosing(
      world: surroundings.world, database: surroundings.database, runData: surroundings.runData)
    let signals = LostSignals(database: surroundings.database, outbox: surroundings.outbox)
    let words = WordSending(surroundings: surroundings)
    let checkIns = CheckInSending(surroundings: surroundings, departures: departures)
    senders = [
      sending { () throws(ApplicationError) in try await words.send() },
      sending { () throws(ApplicationError) in try await checkIns.send() },
    ]
    works = senders
    works += [
      byDuty("opening", every: CheckInClock.pause) { [clock] () throws(ApplicationError) in
        _ = try await clock.open()
      },
      byDuty("starts", every: CheckInClock.pause) { [clock, follower] () throws(ApplicationError) in
        if try await clock.start(caughtUpAt: follower.caughtUpAt) { follower.lookAgain() }
      },
      byDuty("results", every: CheckInClock.pause) { [follower] () throws(ApplicationError) in
        if try await closing.close(caughtUpAt: follower.caughtUpAt) { follower.lookAgain() }
      },
      byDuty("signals", every: LostSignals.pause) { [follower] () throws(ApplicationError) in
        let isBehind = try await signals.tell(lostSignals(), caughtUpAt: follower.caughtUpAt)
        if isBehind { follower.lookAgain() }
      },
      byDuty("counting", every: Self.countingPause) { () throws(ApplicationError) in
        try await Self.count(surroundings)
      },
    ]
  }

  /// The conversation of a process that has these parts.
  package convenience init(
    world: World, database: Database, root: RootSecret, zone: TimeZoneRules, publicURL: String,
    opensBefore: Duration = .zero, addresses: [SocketAddress], bell: Bell = Bell(),
    log: Log = .none, metrics: Metrics = Metrics(),
    lostSignals: @escaping () -> [LostSignal] = { [] }, on loop: EventLoop
  ) {
    let secret = InternalSecret(root: root)
    let client = InternalClient(
      replicas: addresses, secret: secret, on: loop, answerWithin: Self.orderMax)
    let surroundings = RunSurroundings(
      world: world, database: database, root: root, zone: zone,
      links: PublicLinks(publicURL: publicURL), data4help: Data4HelpClient(client), bell: bell,
      log: log, metrics: metrics, on: loop)
    self.init(
      surroundings, opensBefore: opensBefore, addresses: addresses, secret: secret,
      lostSignals: lostSignals, on: loop)
  }

  /// Begins. On the loop, once.
  package func start() {
    surroundings.outbox.heard { [senders] in for work in senders { work.wake() } }
    duty.onTaking { [works] in for work in works { work.wake() } }
    follower.start()
    for work in works { work.start() }
    duty.start()
  }

  /// Ends after what is under way, and lets another process begin. On the loop.
  package func stop() async {
    await follower.stop()
    for work in works { await work.stop() }
    await duty.stop()
  }

  /// Sends as long as there is something to send.
  private func sending(
    _ send: @escaping () async throws(ApplicationError) -> SendingProgress
  ) -> RepeatingWork {
    let bound = LoopBound((duty, send), on: loop)
    let log = surroundings.log
    return RepeatingWork(on: loop) {
      let (duty, send) = bound.value
      guard duty.isHeld else { return Self.sendingPause }
      do throws(ApplicationError) {
        switch try await send() {
        case .busy: return .zero
        case .idle: return Self.sendingPause
        case .away: return Self.awayPause
        }
      } catch {
        log.failure("send outbox orders failed", error, level: .warning)
        return Self.awayPause
      }
    }
  }

  /// Work that comes round while this process is the one.
  private func byDuty(
    _ name: StaticString, every pause: Duration,
    _ turn: @escaping () async throws(ApplicationError) -> Void
  ) -> RepeatingWork {
    let bound = LoopBound((duty, turn), on: loop)
    let log = surroundings.log
    return RepeatingWork(on: loop) {
      let (duty, turn) = bound.value
      guard duty.isHeld else { return pause }
      do throws(ApplicationError) { try await turn() } catch {
        log.failure("background work failed", error, level: .warning, .word("work", name))
      }
      return pause
    }
  }

  private static func count(_ surroundings: RunSurroundings) async throws(ApplicationError) {
    let waiting = try await surroundings.database.row(CountWaitingOrders())
    surroundings.metrics.waiting.set(waiting ?? 0)
    let aside = try await surroundings.database.row(
      CountEventsAside(attempts: EventsAside.stuckFrom))
    surroundings.metrics.aside.set(aside?.all ?? 0)
    surroundings.metrics.stuck.set(aside?.stuck ?? 0)
    let before = surroundings.world.now() - refusedKeptFor
    _ = try await surroundings.database.effect(ForgetRefusedOrders(before: before))
  }
}
