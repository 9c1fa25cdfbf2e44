import EventLoop

/// Which connections exist, who has them and who waits: the rules of a pool without any I/O.
///
/// A shared pool lends each connection to many at once, an exclusive one to one. Requests wait in
/// the order in which they came. A connection that is lost is forgotten at once, and connecting is
/// tried again with growing, scattered pauses; one that has become old is replaced when nobody has
/// it. The shell does what the actions say and calls `tick` at `nextWake`.
package struct ConnectionPoolStateMachine<Waiter> {
  /// How many, how long.
  package struct Limits {
    /// Connections at most.
    package var connectionsMax = 4
    /// Connections kept open though nobody needs them.
    package var connectionsMin = 1
    /// How many may have one connection at a time.
    package var leasesMax = 1
    /// Requests that wait at most.
    package var waitersMax = 10_000
    /// The age from which a connection is replaced; scattered by a fifth.
    package var lifetimeMax = Duration.seconds(3600)
    /// The first pause before connecting again.
    package var pauseMin = Duration.milliseconds(25)
    /// The longest pause before connecting again.
    package var pauseMax = Duration.milliseconds(500)

    /// The limits of a service's pool.
    package init() {}
  }

  /// A connection, by a number never used twice.
  package typealias ConnectionID = Int

  /// What the shell is to do.
  package enum Action {
    /// Open this one.
    case connect(ConnectionID)
    /// Lend this one to who waited.
    case give(ConnectionID, to: Waiter)
    /// Tell who waited that there is none.
    case refuse(Waiter, PostgresError)
    /// Close this one.
    case close(ConnectionID)
  }

  private enum State {
    case paused(until: MonotonicInstant)
    case connecting
    case open(leases: Int, oldAt: MonotonicInstant)
    case retiring(leases: Int)
  }

  private struct Slot {
    var id: ConnectionID
    var state: State
    var failures = 0
  }

  private struct Waiting {
    let waiter: Waiter
    let deadline: MonotonicInstant
  }

  private let limits: Limits
  private var slots: [Slot] = []
  /// Who waits, from `firstWaiting` on; what stands before it was served.
  private var waiting: [Waiting] = []
  private var firstWaiting = 0
  /// No deadline of those who wait is earlier.
  private var earliestDeadline: MonotonicInstant?
  private var nextID = 0
  private var isClosed = false
  private let scatter: Scatter

  /// A pool without connections; `start` opens the first.
  package init(_ limits: Limits, scatter: Scatter = Scatter()) {
    self.limits = limits
    self.scatter = scatter
  }

  /// How many requests wait.
  package var waitingCount: Int { waiting.count - firstWaiting }

  /// How many connections are ready.
  package var openCount: Int { slots.count { if case .open = $0.state { true } else { false } } }

  /// When `tick` must be called next, if ever.
  package var nextWake: MonotonicInstant? {
    var wake = waitingCount > 0 ? earliestDeadline : nil
    for slot in slots {
      switch slot.state {
      case .paused(let until): wake = min(wake ?? until, until)
      case .open(_, let oldAt): wake = min(wake ?? oldAt, oldAt)
      case .connecting, .retiring: break
      }
    }
    return wake
  }

  /// Opens the connections that are always kept.
  package mutating func start() -> [Action] { connectWhereNeeded() }

  /// Takes a connection if one is ready: the one that the fewest have.
  package mutating func leaseNow() -> ConnectionID? {
    waitingCount == 0 ? leaseLeastUsed() : nil
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

  /// Waits for a connection until the deadline.
  package mutating func wait(_ waiter: Waiter, until deadline: MonotonicInstant) -> [Action] {
    if isClosed { return [.refuse(waiter, .closed)] }
    if waitingCount >= limits.waitersMax { return [.refuse(waiter, .unavailable)] }
    waiting.append(Waiting(waiter: waiter, deadline: deadline))
    earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    return connectWhereNeeded()
  }

  /// Notes that a connection is ready.
  package mutating func connected(_ id: ConnectionID, at now: MonotonicInstant) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return [.close(id)] }
    slots[index].failures = 0
    let life = scatter.shorten(limits.lifetimeMax, to: 0.8)
    slots[index].state = .open(leases: 0, oldAt: now + life)
    return serveWaiting()
  }

  /// Notes that a connection could not be made, or that one was lost with all its leases.
  package mutating func lost(_ id: ConnectionID, at now: MonotonicInstant) -> [Action] {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return [] }
    if isClosed {
      slots.remove(at: index)
      return []
    }
    if case .connecting = slots[index].state {
      slots[index].failures += 1
      let longest = min(
        limits.pauseMax, limits.pauseMin * (1 << min(slots[index].failures - 1, 16)))
      slots[index].state = .paused(until: now + scatter.shorten(longest, to: 0.5))
      return []
    }
    // It worked until now: try again at once, and only then pause.
    slots.remove(at: index)
    return connectWhereNeeded()
  }

  /// Gives back what `leaseNow` or `give` lent.
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

  /// Lends a connection no more and closes it when everyone has given it back.
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

  /// Does what time brings: refuses who waited too long, connects again, retires the old.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    var actions = refuseLate(at: now)
    for id in slots.map(\.id) {
      guard let index = slots.firstIndex(where: { $0.id == id }) else { continue }
      switch slots[index].state {
      case .paused(let until) where until <= now:
        slots[index].state = .connecting
        actions.append(.connect(id))
      case .open(_, let oldAt) where oldAt <= now:
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

  /// Refuses everyone who waits and closes what nobody has; the rest closes when given back.
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
    while waitingCount > 0, let id = leaseLeastUsed() {
      actions.append(.give(id, to: waiting[firstWaiting].waiter))
      firstWaiting += 1
    }
    if firstWaiting > waiting.count / 2 {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
    return actions
  }

  /// Connects up to the minimum, and beyond it while more wait than connections are coming.
  private mutating func connectWhereNeeded() -> [Action] {
    if isClosed { return [] }
    var actions: [Action] = []
    var coming = slots.count {
      switch $0.state {
      case .connecting, .paused: true
      case .open, .retiring: false
      }
    }
    while slots.count < limits.connectionsMax,
      slots.count < limits.connectionsMin || coming * limits.leasesMax < waitingCount
    {
      slots.append(Slot(id: nextID, state: .connecting))
      actions.append(.connect(nextID))
      nextID += 1
      coming += 1
    }
    return actions
  }
}
