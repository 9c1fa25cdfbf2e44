import Time

/// The rules of a connection pool without any I/O: which connections exist, which are leased, and
/// which requests wait.
///
/// A shared pool leases each connection to many requests at once, an exclusive one to one. Requests
/// wait in order of arrival. An old connection is replaced when it has no lease.
///
/// A lost connection is dropped at once, together with the free ones, because they presumably lead
/// to the same lost server. Then the primary is sought: each host is asked by one connection, again
/// and again with growing, jittered pauses. The first one that opens names the primary, and only
/// then are the others opened there, so that a server which starts or takes over is not kept busy
/// by the attempts of all, and a host that answers nothing delays no other one.
///
/// Before a planned change of the primary the pool is held: leased connections complete their work,
/// and no other one is leased until the next primary is found. A server that still has connections
/// of the pool is the former one. With several hosts, so is the former host until an attempt to
/// connect to it has failed.
///
/// The shell performs the returned actions and calls `tick` at `nextWake`.
package struct ConnectionPoolStateMachine<Waiter> {
  /// The limits of numbers and times.
  package struct Limits {
    /// The largest number of connections.
    package var connectionsMax = 4
    /// The number of connections kept open without demand.
    package var connectionsMin = 1
    /// The largest number of leases of one connection.
    package var leasesMax = 1
    /// The largest number of waiting requests.
    package var waitersMax = 10_000
    /// The age at which a connection is replaced; jittered by a fifth.
    package var lifetimeMax = Duration.seconds(3600)
    /// The first pause before reconnecting.
    package var pauseMin = Duration.milliseconds(25)
    /// The longest pause before reconnecting.
    package var pauseMax = Duration.milliseconds(500)
    /// How long requests may wait after a hold that ended without another primary.
    package var waitAfterHold = Duration.seconds(1)
    /// The time after such a hold in which none begins: every role of the database can announce
    /// handovers, and must not hold the pool again and again.
    package var pauseAfterHold = Duration.seconds(60)

    /// Creates the limits of a service's pool.
    package init() {}
  }

  /// A connection, identified by a number that is never reused.
  package typealias ConnectionID = Int

  /// An action for the shell.
  package enum Action {
    /// Open this connection to this host, numbered from 0.
    case connect(ConnectionID, host: Int)
    /// Lease this connection to the waiter.
    case lease(ConnectionID, to: Waiter)
    /// Report to the waiter that no connection is available.
    case refuse(Waiter, PostgresError)
    /// Close this connection.
    case close(ConnectionID)
  }

  private enum State {
    case paused(until: MonotonicInstant)
    case connecting
    case open(leases: Int, oldAt: MonotonicInstant)
    case retiring(leases: Int)
  }

  private struct Slot {
    let id: ConnectionID
    let host: Int
    var state = State.connecting
    var failures = 0

    var isComing: Bool {
      switch state {
      case .connecting, .paused: true
      case .open, .retiring: false
      }
    }
    var isFree: Bool { if case .open(leases: 0, _) = state { true } else { false } }
  }

  private struct Waiting {
    let waiter: Waiter
    var deadline: MonotonicInstant
    /// The latest deadline after a hold.
    let latest: MonotonicInstant

    mutating func extend(to time: MonotonicInstant) { deadline = max(deadline, min(latest, time)) }
  }

  /// A pause before a planned change of the primary.
  private struct Hold {
    /// Its latest end.
    let until: MonotonicInstant
    /// The primary when it began, if one was known before.
    let former: Int?
    /// Whether an attempt to connect to that host has failed since.
    var formerFailed = false
  }

  private let limits: Limits
  private let hosts: Int
  /// The host of the last connection that opened; nil while the primary is sought.
  private var primary: Int? { didSet { lastPrimary = primary ?? lastPrimary } }
  private var lastPrimary: Int?
  private var slots: [Slot] = []
  /// The queue starts at `firstWaiting`; elements before it were served.
  private var waiting: [Waiting] = []
  private var firstWaiting = 0
  /// A lower bound on the deadlines of the waiting requests.
  private var earliestDeadline: MonotonicInstant?
  private var held: Hold?
  /// When the next hold may begin, after one that ended without another primary.
  private var holdsAgainAt: MonotonicInstant?
  private var nextID = 0
  private var isClosed = false
  private let jitter: Jitter

  /// Creates a pool without connections; `start` opens the first ones.
  package init(_ limits: Limits, hosts: Int = 1, jitter: Jitter = Jitter()) {
    self.limits = limits
    self.hosts = hosts
    self.jitter = jitter
  }

  /// The number of waiting requests.
  package var waitingCount: Int { waiting.count - firstWaiting }

  /// Whether a connection is leased.
  package var isLeased: Bool {
    slots.contains {
      switch $0.state {
      case .open(let leases, _), .retiring(let leases): leases > 0
      case .connecting, .paused: false
      }
    }
  }

  /// When `tick` must be called next, if ever.
  package var nextWake: MonotonicInstant? {
    var wake = waitingCount > 0 ? earliestDeadline : nil
    if let held { wake = min(wake ?? held.until, held.until) }
    for slot in slots {
      switch slot.state {
      case .paused(let until): wake = min(wake ?? until, until)
      case .open(_, let oldAt):
        if held == nil { wake = min(wake ?? oldAt, oldAt) }
      case .connecting, .retiring: break
      }
    }
    return wake
  }

  /// Opens the first connection, which is followed by the minimum number of them.
  package mutating func start() -> [Action] { connectWhereNeeded() }

  /// Leases the ready connection with the fewest leases; nil if there is none or requests are
  /// waiting.
  package mutating func leaseNow() -> ConnectionID? {
    waitingCount == 0 && held == nil ? leaseLeastUsed() : nil
  }

  private mutating func leaseLeastUsed() -> ConnectionID? {
    var best: (index: Int, leases: Int)?
    for index in slots.indices {
      guard case .open(let leases, _) = slots[index].state, leases < limits.leasesMax,
        leases < best?.leases ?? .max
      else { continue }
      best = (index, leases)
    }
    guard let best else { return nil }
    addLease(best.index)
    return slots[best.index].id
  }

  private mutating func addLease(_ index: Int) {
    guard case .open(let leases, let oldAt) = slots[index].state else { return }
    slots[index].state = .open(leases: leases + 1, oldAt: oldAt)
  }

  /// Queues a request for a connection until the deadline, which a hold extends to `latest`.
  package mutating func wait(
    _ waiter: Waiter, until deadline: MonotonicInstant, latest: MonotonicInstant? = nil
  ) -> [Action] {
    if isClosed { return [.refuse(waiter, .closed)] }
    if waitingCount >= limits.waitersMax { return [.refuse(waiter, .unavailable)] }
    var entry = Waiting(waiter: waiter, deadline: deadline, latest: latest ?? deadline)
    if let held { entry.extend(to: held.until + limits.waitAfterHold) }
    waiting.append(entry)
    earliestDeadline = min(earliestDeadline ?? entry.deadline, entry.deadline)
    return connectWhereNeeded()
  }

  /// Leases no connection until the next primary is found, or until this time; returns whether a
  /// hold began. A hold in progress is not extended, and after one in vain none begins for
  /// `pauseAfterHold`.
  @discardableResult
  package mutating func hold(until time: MonotonicInstant, at now: MonotonicInstant) -> Bool {
    guard held == nil, now < time, now >= holdsAgainAt ?? now else { return false }
    held = Hold(until: time, former: lastPrimary)
    for index in firstWaiting..<waiting.count {
      waiting[index].extend(to: time + limits.waitAfterHold)
    }
    return true
  }

  /// Records that a connection is ready: its host is the primary, and the others are no longer
  /// asked.
  package mutating func connected(_ id: ConnectionID, at now: MonotonicInstant) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return [.close(id)] }
    slots[index].failures = 0
    let life = jitter.shorten(limits.lifetimeMax, to: 0.8)
    slots[index].state = .open(leases: 0, oldAt: now + life)
    let host = slots[index].host
    if primary == nil, let held, !isFormer(host, but: id, held) { self.held = nil }
    primary = host
    return drop { $0.isComing && $0.host != host } + serveWaiting() + connectWhereNeeded()
  }

  /// Whether a server that accepted this connection is still the one before the hold.
  private func isFormer(_ host: Int, but id: ConnectionID, _ hold: Hold) -> Bool {
    guard host == hold.former else { return false }
    let hasOthers = slots.contains { $0.id != id && !$0.isComing }
    return hasOthers || hosts > 1 && !hold.formerFailed
  }

  private mutating func drop(where isDropped: (Slot) -> Bool) -> [Action] {
    let dropped = slots.filter(isDropped)
    slots.removeAll(where: isDropped)
    return dropped.map { .close($0.id) }
  }

  /// Records that connecting failed, or that a connection was lost with all its leases.
  package mutating func lost(_ id: ConnectionID, at now: MonotonicInstant) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return [] }
    if isClosed {
      slots.remove(at: index)
      return []
    }
    // A statement that hung on the former primary says nothing about the one that was found since.
    if let primary, slots[index].host != primary {
      slots.remove(at: index)
      return connectWhereNeeded()
    }
    primary = nil
    if case .connecting = slots[index].state {
      if slots[index].host == held?.former { held?.formerFailed = true }
      pause(index, at: now)
      return connectWhereNeeded()
    }
    // The connection had worked, so the first attempt to reconnect needs no pause.
    slots.remove(at: index)
    return drop(where: \.isFree) + connectWhereNeeded()
  }

  /// Lets a connection try again later, unless another one asks its host.
  private mutating func pause(_ index: Int, at now: MonotonicInstant) {
    let (id, host) = (slots[index].id, slots[index].host)
    guard !slots.contains(where: { $0.id != id && $0.host == host && $0.isComing }) else {
      slots.remove(at: index)
      return
    }
    slots[index].failures += 1
    let longest = min(limits.pauseMax, limits.pauseMin * (1 << min(slots[index].failures - 1, 16)))
    slots[index].state = .paused(until: now + jitter.shorten(longest, to: 0.5))
  }

  /// Releases a lease from `leaseNow` or `give`.
  package mutating func release(_ id: ConnectionID) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return [] }
    switch slots[index].state {
    case .open(let leases, let oldAt):
      slots[index].state = .open(leases: leases - 1, oldAt: oldAt)
      return waitingCount == 0 ? [] : serveWaiting()
    case .retiring(let leases):
      slots[index].state = .retiring(leases: leases - 1)
      return leases > 1 ? [] : close(index)
    case .connecting, .paused:
      return []
    }
  }

  /// Excludes a connection from further leases and closes it after its last release.
  package mutating func retire(_ id: ConnectionID) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }),
      case .open(let leases, _) = slots[index].state
    else { return [] }
    slots[index].state = .retiring(leases: leases)
    return leases > 0 ? [] : close(index)
  }

  private mutating func close(_ index: Int) -> [Action] {
    let id = slots.remove(at: index).id
    return [.close(id)] + connectWhereNeeded()
  }

  /// Performs due actions: rejects overdue requests, reconnects, retires old connections.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    if let held, held.until <= now {
      self.held = nil
      holdsAgainAt = now + limits.pauseAfterHold
      actions = serveWaiting() + connectWhereNeeded()
    }
    actions += refuseLate(at: now)
    for id in slots.map(\.id) {
      guard let index = slots.firstIndex(where: { $0.id == id }) else { continue }
      switch slots[index].state {
      case .paused(let until) where until <= now:
        slots[index].state = .connecting
        actions.append(.connect(id, host: slots[index].host))
      // A held pool notices the end of the former primary by the loss of its connections.
      case .open(_, let oldAt) where oldAt <= now && held == nil:
        actions += retire(id)
      default: break
      }
    }
    return actions
  }

  private mutating func refuseLate(at now: MonotonicInstant) -> [Action] {
    guard let earliestDeadline, earliestDeadline <= now else { return [] }
    let late = waiting[firstWaiting...].filter { $0.deadline <= now }
    waiting = waiting[firstWaiting...].filter { $0.deadline > now }
    firstWaiting = 0
    self.earliestDeadline = waiting.lazy.map(\.deadline).min()
    return late.map { .refuse($0.waiter, .unavailable) }
  }

  /// Rejects all waiting requests and closes unleased connections; the others are closed when
  /// released.
  package mutating func close() -> [Action] {
    isClosed = true
    var actions = waiting[firstWaiting...].map { Action.refuse($0.waiter, .closed) }
    waiting.removeAll()
    firstWaiting = 0
    for slot in slots {
      switch slot.state {
      case .open: actions += retire(slot.id)
      case .connecting:
        actions.append(.close(slot.id))
        slots.removeAll { $0.id == slot.id }
      case .paused: slots.removeAll { $0.id == slot.id }
      case .retiring: break
      }
    }
    return actions
  }

  private mutating func serveWaiting() -> [Action] {
    var actions: [Action] = []
    while waitingCount > 0, held == nil, let id = leaseLeastUsed() {
      actions.append(.lease(id, to: waiting[firstWaiting].waiter))
      firstWaiting += 1
    }
    if firstWaiting > waiting.count / 2 {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
    return actions
  }

  /// Connects up to the minimum, and further while more requests wait than connections are opening;
  /// without a known primary, to each host once.
  private mutating func connectWhereNeeded() -> [Action] {
    if isClosed { return [] }
    guard let primary else {
      let asked = Set(slots.filter(\.isComing).map(\.host))
      return (0..<hosts).filter { !asked.contains($0) }.map { connect(to: $0) }
    }
    // A pool without any connection would not notice the end of the former primary.
    if held != nil, !slots.isEmpty { return [] }
    var actions: [Action] = []
    var coming = slots.count(where: \.isComing)
    while slots.count < limits.connectionsMax,
      slots.count < limits.connectionsMin || coming * limits.leasesMax < waitingCount
    {
      actions.append(connect(to: primary))
      coming += 1
    }
    return actions
  }

  private mutating func connect(to host: Int) -> Action {
    defer { nextID += 1 }
    slots.append(Slot(id: nextID, host: host))
    return .connect(nextID, host: host)
  }
}
