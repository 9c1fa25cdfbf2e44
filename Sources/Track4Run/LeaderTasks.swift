import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import HTTP
import InternalAPI
import LiveRuns
import Operations
import Postgres
import Runs
import ServiceKit

/// The tasks that one process of all replicas, the holder of the lease, does at a time: it sends
/// orders to Data4Help, consumes its events, opens and closes check-ins, computes results, and
/// notifies runners of lost signals. Confined to its loop.
package final class LeaderTasks {
  /// The interval at which the outbox is polled for orders of other processes.
  static let sendingPause = Duration.milliseconds(250)
  /// The pause in sending while Data4Help is unavailable.
  static let unavailablePause = Duration.milliseconds(500)
  /// The interval at which pending orders are counted.
  static let countingPause = Duration.seconds(5)
  /// The timeout of an order for many people.
  static let orderMax = Duration.seconds(30)

  private let outbox: Outbox
  private let lease: Lease
  private let consumer: ChangeFeedConsumer
  private let loop: EventLoop
  private let log: Log
  /// The tasks that send orders; each new order wakes them.
  private var senders: [PeriodicTask] = []
  private var works: [PeriodicTask] = []

  /// Creates the tasks, which call the replicas of Data4Help at these addresses.
  ///
  /// Check-in opens `opensBefore` the start of a run. `lostSignals` returns the runners whose
  /// positions stopped arriving, and is called on the loop.
  package init(
    environment: Environment, database: Database, root: RootSecret, zone: TimeZoneRules,
    opensBefore: Duration = .zero, addresses: [SocketAddress], over link: InnerLink = .plain,
    wakeUp: WakeUpSignal = WakeUpSignal(),
    log: Log = .none, metrics: Metrics = Metrics(),
    lostSignals: @escaping () -> [LostSignal] = { [] }, on loop: EventLoop
  ) {
    self.loop = loop
    self.log = log
    let secret = InternalSecret(root: root)
    let data4help = Data4HelpClient(
      InternalClient(
        replicas: addresses, over: link, secret: secret, on: loop,
        answerWithin: Self.orderMax))
    let unreadable = UnreadableRows(log: log, metrics: metrics, on: loop)
    let runData = RunData(root: root, unreadable: unreadable, on: loop)
    let outboxMetrics = OutboxMetrics(metrics)
    let outbox = Outbox(root: root, environment: environment, wakeUp: wakeUp, on: loop)
    let checkIns = CheckIns(root: root, environment: environment, outbox: outbox)
    let departures = AccountDepartures(environment: environment, outbox: outbox, runData: runData)
    let effects = RunEventEffects(
      environment: environment, database: database, checkIns: checkIns, departures: departures,
      data: runData)
    self.outbox = outbox
    lease = Lease(database: database, log: log, on: loop)
    consumer = ChangeFeedConsumer(
      EventFeed(data4help, addresses: addresses, over: link, secret: secret), effects: effects,
      environment: environment,
      database: database, lease: lease, metrics: outboxMetrics, log: log)
    let notices = NoticeOutboxDispatcher(
      environment: environment, database: database, outbox: outbox, data4help: data4help,
      metrics: outboxMetrics, log: log)
    let requests = CheckInOutboxDispatcher(
      environment: environment, database: database, outbox: outbox, data4help: data4help,
      departures: departures, metrics: outboxMetrics, log: log)
    senders = [
      sending { () throws(ApplicationError) in try await notices.send() },
      sending { () throws(ApplicationError) in try await requests.send() },
    ]
    works = senders
    works += clockWorks(
      CheckInClock(
        environment: environment, database: database, zone: zone, checkIns: checkIns,
        opensBefore: opensBefore))
    works += closingWorks(
      RunClosing(environment: environment, database: database, runData: runData),
      LostSignals(database: database, outbox: outbox), lostSignals)
    works.append(
      underLease("counting", every: Self.countingPause) { () throws(ApplicationError) in
        try await outboxMetrics.count(in: database, now: environment.now())
      })
  }

  /// Starts. On the loop, once.
  package func start() {
    outbox.onSignal { [senders] in for work in senders { work.wake() } }
    lease.onAcquiring { [works] in for work in works { work.wake() } }
    consumer.start()
    for work in works { work.start() }
    lease.start()
  }

  /// Stops after the current work, and releases the lease for another process. On the loop.
  package func stop() async {
    await consumer.stop()
    for work in works { await work.stop() }
    await lease.stop()
  }

  /// The work at the opening of check-ins and at the start of runs.
  private func clockWorks(_ clock: CheckInClock) -> [PeriodicTask] {
    [
      underLease("opening", every: CheckInClock.pause) { () throws(ApplicationError) in
        _ = try await clock.open()
      },
      underLease("starts", every: CheckInClock.pause) { [consumer] () throws(ApplicationError) in
        if try await clock.start(caughtUpAt: consumer.caughtUpAt) { consumer.requestPage() }
      },
    ]
  }

  /// The work on current and finished runs.
  private func closingWorks(
    _ closing: RunClosing, _ signals: LostSignals, _ lostSignals: @escaping () -> [LostSignal]
  ) -> [PeriodicTask] {
    [
      underLease("results", every: CheckInClock.pause) { [consumer] () throws(ApplicationError) in
        if try await closing.close(caughtUpAt: consumer.caughtUpAt) { consumer.requestPage() }
      },
      underLease("signals", every: LostSignals.pause) { [consumer] () throws(ApplicationError) in
        let isLagging = try await signals.notify(lostSignals(), caughtUpAt: consumer.caughtUpAt)
        if isLagging { consumer.requestPage() }
      },
    ]
  }

  /// Sends until no order is due.
  private func sending(
    _ send: @escaping () async throws(ApplicationError) -> DispatchProgress
  ) -> PeriodicTask {
    let bound = LoopBound((lease, send), on: loop)
    let log = log
    return PeriodicTask(on: loop) {
      let (lease, send) = bound.value
      guard lease.isHeld else { return Self.sendingPause }
      do throws(ApplicationError) {
        switch try await send() {
        case .busy: return .zero
        case .idle: return Self.sendingPause
        case .unavailable: return Self.unavailablePause
        }
      } catch {
        log.failure("send outbox orders failed", error, level: .warning)
        return Self.unavailablePause
      }
    }
  }

  /// Periodic work that only runs while this process holds the lease.
  private func underLease(
    _ name: StaticString, every pause: Duration,
    _ turn: @escaping () async throws(ApplicationError) -> Void
  ) -> PeriodicTask {
    let bound = LoopBound((lease, turn), on: loop)
    let log = log
    return PeriodicTask(on: loop) {
      let (lease, turn) = bound.value
      guard lease.isHeld else { return pause }
      do throws(ApplicationError) { try await turn() } catch {
        log.failure("background work failed", error, level: .warning, .constant("work", name))
      }
      return pause
    }
  }
}
