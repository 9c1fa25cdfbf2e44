import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Synchronises with Data4Help; one process of all replicas does this at a time: it sends orders,
/// consumes events, and opens and closes check-ins. Confined to its loop.
package final class Data4HelpDuty {
  /// The interval at which the outbox is polled for orders of other processes.
  static let sendingPause = Duration.milliseconds(250)
  /// The pause in sending while Data4Help is unavailable.
  static let awayPause = Duration.milliseconds(500)
  /// The interval at which pending orders are counted.
  static let countingPause = Duration.seconds(5)
  /// The timeout of an order for many people.
  static let orderMax = Duration.seconds(30)
  /// How long dead orders are kept.
  static let refusedKeptFor = Duration.seconds(7 * 86_400)

  private let surroundings: RunSurroundings
  private let duty: Duty
  private let follower: Follower
  private let clock: CheckInClock
  private let loop: EventLoop
  /// The tasks that send orders; each new order wakes them.
  private var senders: [RepeatingWork] = []
  private var works: [RepeatingWork] = []

  /// Creates the synchronisation with the replicas at these addresses.
  ///
  /// Check-in opens `opensBefore` the start of a run. `lostSignals` returns the runners whose
  /// positions stopped arriving, and is called on the loop.
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

  /// Creates the synchronisation of a process from its parts.
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

  /// Starts. On the loop, once.
  package func start() {
    surroundings.outbox.heard { [senders] in for work in senders { work.wake() } }
    duty.onTaking { [works] in for work in works { work.wake() } }
    follower.start()
    for work in works { work.start() }
    duty.start()
  }

  /// Stops after the current work, and releases the lease for another process. On the loop.
  package func stop() async {
    await follower.stop()
    for work in works { await work.stop() }
    await duty.stop()
  }

  /// Sends until no order is due.
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

  /// Periodic work that only runs while this process holds the lease.
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
