import Postgres
import Requirements
import Testing
import Time

private typealias Machine = ConnectionPoolStateMachine<String>

private func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

/// The actions as text.
private func words(_ actions: [Machine.Action]) -> [String] {
  actions.map { action in
    switch action {
    case .connect(let id, host: 0): "connect \(id)"
    case .connect(let id, let host): "connect \(id) to \(host)"
    case .lease(let id, let waiter): "give \(id) to \(waiter)"
    case .refuse(let waiter, let error): "refuse \(waiter): \(error == .closed ? "closed" : "late")"
    case .close(let id): "close \(id)"
    }
  }
}

private func machine(
  max: Int = 2, min: Int = 1, leases: Int = 1, waiters: Int = 10, hosts: Int = 1,
  randomness: UInt8 = 0xff
) -> Machine {
  var limits = Machine.Limits()
  limits.connectionsMax = max
  limits.connectionsMin = min
  limits.leasesMax = leases
  limits.waitersMax = waiters
  limits.lifetimeMax = .seconds(100)
  return Machine(
    limits, hosts: hosts, jitter: Jitter { [UInt8](repeating: randomness, count: $0) })
}

@Suite("the pool") struct ConnectionPoolStateMachineTests {
  @Test("the least used connection is leased, each up to its limit of leases")
  func leases() {
    var pool = machine(max: 2, min: 2, leases: 2)
    #expect(words(pool.start()) == ["connect 0"])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.connected(0, at: .zero)) == ["connect 1"])
    _ = pool.connected(1, at: .zero)
    #expect((0..<5).map { _ in pool.leaseNow() } == [0, 1, 0, 1, nil])
    #expect(words(pool.release(1)) == [])
    #expect(pool.leaseNow() == 1)
  }

  @Test("a held pool leases nothing until the next primary is found", .tags(.OPS_4))
  func hold() {
    var pool = machine(max: 2, min: 1, hosts: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(pool.leaseNow() == 0)
    _ = pool.wait("a", until: at(2000), latest: at(10_000))
    #expect(words(pool.connected(2, at: .zero)) == ["give 2 to a"])
    pool.hold(until: at(8000), at: .zero)
    pool.hold(until: at(9000), at: .zero)
    #expect(pool.nextWake == at(8000))
    // Released connections are not leased again, and no other one is opened.
    #expect(words(pool.release(0)) == [])
    #expect(words(pool.release(2)) == [])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.wait("b", until: at(2100), latest: at(10_100))) == [])
    #expect(words(pool.tick(at: at(3000))) == [])
    // The server stops: both hosts are asked, and the first that accepts ends the hold.
    #expect(words(pool.lost(0, at: at(3000))) == ["close 2", "connect 3", "connect 4 to 1"])
    #expect(words(pool.connected(4, at: at(3500))) == ["close 3", "give 4 to b"])
    #expect(words(pool.release(4)) == [])
    #expect(pool.leaseNow() == 4)
  }

  @Test("a hold outlasts a lost connection while the former primary keeps others", .tags(.OPS_4))
  func holdOutlasts() {
    var pool = machine(max: 2, min: 1, hosts: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(pool.leaseNow() == 0)
    _ = pool.wait("a", until: at(2000))
    #expect(words(pool.connected(2, at: .zero)) == ["give 2 to a"])
    pool.hold(until: at(8000), at: .zero)
    _ = pool.wait("b", until: at(2000), latest: at(10_000))
    #expect(words(pool.lost(2, at: at(100))) == ["connect 3", "connect 4 to 1"])
    #expect(words(pool.connected(3, at: at(200))) == ["close 4"])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.lost(0, at: at(300))) == ["close 3", "connect 5", "connect 6 to 1"])
    #expect(words(pool.connected(6, at: at(400))) == ["close 5", "give 6 to b"])
  }

  @Test(
    "of several hosts the former primary ends a hold only after it has refused a connection",
    .tags(.OPS_4))
  func formerHost() {
    var pool = machine(max: 1, hosts: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(pool.leaseNow() == 0)
    pool.hold(until: at(8000), at: .zero)
    // The only connection is lost, but its server has not stopped.
    #expect(words(pool.lost(0, at: at(100))) == ["connect 2", "connect 3 to 1"])
    #expect(words(pool.connected(2, at: at(200))) == ["close 3"])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.lost(2, at: at(300))) == ["connect 4", "connect 5 to 1"])
    #expect(words(pool.lost(4, at: at(310))) == [])
    #expect(words(pool.tick(at: at(400))) == ["connect 4"])
    #expect(words(pool.connected(4, at: at(500))) == ["close 5"])
    #expect(pool.leaseNow() == 4)
  }

  @Test("a hold remembers the primary that was known before it was sought", .tags(.OPS_4))
  func holdWhileSeeking() {
    var pool = machine(max: 1, hosts: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.lost(0, at: at(100))
    pool.hold(until: at(8000), at: at(100))
    #expect(words(pool.connected(2, at: at(200))) == ["close 3"])
    #expect(pool.leaseNow() == nil)
  }

  @Test("a held pool without a connection opens one, whose loss it notices", .tags(.OPS_4))
  func holdWithoutConnection() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(pool.leaseNow() == 0)
    #expect(words(pool.retire(0)) == [])
    pool.hold(until: at(8000), at: .zero)
    #expect(words(pool.release(0)) == ["close 0", "connect 1"])
    #expect(words(pool.connected(1, at: at(100))) == [])
    #expect(pool.leaseNow() == nil)
  }

  @Test("after a hold in vain none begins for a minute", .tags(.OPS_4, .NFR_5))
  func holdInVain() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    pool.hold(until: at(8000), at: .zero)
    #expect(pool.leaseNow() == nil)
    _ = pool.tick(at: at(8000))
    let second = pool.hold(until: at(17_000), at: at(9000))
    #expect(!second)
    #expect(pool.leaseNow() == 0)
    _ = pool.release(0)
    let late = pool.hold(until: at(68_000), at: at(68_000))
    #expect(!late)
    let third = pool.hold(until: at(76_000), at: at(68_000))
    #expect(third)
    #expect(pool.leaseNow() == nil)
  }

  @Test("a held pool keeps an old connection, whose loss shows its server's end", .tags(.OPS_4))
  func holdKeepsOld() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    pool.hold(until: at(200_000), at: .zero)
    #expect(words(pool.tick(at: at(150_000))) == [])
    #expect(pool.nextWake == at(200_000))
    #expect(words(pool.tick(at: at(200_000))) == ["close 0", "connect 1"])
  }

  @Test("a hold without another primary ends in time, and requests keep their last limit")
  func holdEnds() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(pool.leaseNow() == 0)
    _ = pool.wait("a", until: at(2000), latest: at(10_000))
    _ = pool.wait("b", until: at(2000), latest: at(3000))
    pool.hold(until: at(8000), at: .zero)
    _ = pool.wait("c", until: at(2000), latest: at(10_000))
    #expect(words(pool.release(0)) == [])
    #expect(words(pool.tick(at: at(3000))) == ["refuse b: late"])
    #expect(pool.nextWake == at(8000))
    #expect(words(pool.tick(at: at(8000))) == ["give 0 to a"])
    #expect(words(pool.tick(at: at(9000))) == ["refuse c: late"])
  }

  @Test("waiting requests are served in order when a connection opens or is released")
  func waits() {
    var pool = machine(max: 1)
    _ = pool.start()
    #expect(words(pool.wait("a", until: at(2000))) == [])
    #expect(words(pool.wait("b", until: at(2000))) == [])
    #expect(words(pool.connected(0, at: .zero)) == ["give 0 to a"])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.release(0)) == ["give 0 to b"])
  }

  @Test("more connections are opened while more requests wait, up to the limit")
  func grows() {
    var pool = machine(max: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.leaseNow()
    #expect(words(pool.wait("a", until: at(2000))) == ["connect 1"])
    #expect(words(pool.wait("b", until: at(2000))) == [])
  }

  @Test("an overdue request is rejected, and not one nanosecond earlier")
  func deadline() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.wait("a", until: at(2000))
    #expect(pool.nextWake == at(2000))
    #expect(words(pool.tick(at: MonotonicInstant(nanoseconds: 1_999_999_999))) == [])
    #expect(words(pool.tick(at: at(2000))) == ["refuse a: late"])
    #expect(pool.waitingCount == 0)
  }

  @Test("waiting requests up to the limit are queued, and the next is rejected at once")
  func waitersLimit() {
    var pool = machine(max: 1, waiters: 2)
    _ = pool.start()
    #expect(words(pool.wait("a", until: at(1)) + pool.wait("b", until: at(1))) == [])
    #expect(words(pool.wait("c", until: at(1))) == ["refuse c: late"])
  }

  @Test("a lost connection is replaced at once; after failed attempts, with growing pauses")
  func backsOff() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    #expect(words(pool.lost(0, at: .zero)) == ["connect 1"])
    var now = MonotonicInstant.zero
    var pauses: [Int64] = []
    for _ in 0..<7 {
      #expect(words(pool.lost(1, at: now)) == [])
      let wake = pool.nextWake ?? .zero
      pauses.append((wake - now).wholeNanoseconds / 1_000_000)
      now = wake
      #expect(words(pool.tick(at: now)) == ["connect 1"])
    }
    #expect(pauses == [25, 50, 100, 200, 400, 500, 500])
  }

  @Test("pauses are jittered down to the half")
  func jittered() {
    var pool = machine(max: 1, randomness: 0)
    _ = pool.start()
    _ = pool.lost(0, at: .zero)
    #expect(pool.nextWake == MonotonicInstant(nanoseconds: 12_500_000))
  }

  @Test("a pause ends with the first success")
  func successResets() {
    var pool = machine(max: 1)
    _ = pool.start()
    for _ in 0..<3 {
      _ = pool.lost(0, at: .zero)
      _ = pool.tick(at: at(1000))
    }
    _ = pool.connected(0, at: at(1000))
    _ = pool.lost(0, at: at(1000))
    _ = pool.lost(1, at: at(1000))
    #expect(pool.nextWake == at(1025))
  }

  @Test("all hosts are asked at once, and the one that is the primary gets all connections")
  func seeks() {
    var pool = machine(max: 3, min: 2, hosts: 3)
    #expect(words(pool.start()) == ["connect 0", "connect 1 to 1", "connect 2 to 2"])
    #expect(words(pool.wait("a", until: at(2000))) == [])
    #expect(words(pool.lost(0, at: .zero)) == [])
    #expect(
      words(pool.connected(1, at: .zero))
        == ["close 0", "close 2", "give 1 to a", "connect 3 to 1"])
  }

  @Test("a host that answers nothing does not delay the next question to another one")
  func silentHost() {
    var pool = machine(max: 1, hosts: 2)
    _ = pool.start()
    #expect(words(pool.lost(1, at: .zero)) == [])
    #expect(words(pool.tick(at: at(25))) == ["connect 1 to 1"])
    #expect(words(pool.lost(1, at: at(25))) == [])
    #expect(words(pool.tick(at: at(75))) == ["connect 1 to 1"])
    #expect(words(pool.connected(1, at: at(80))) == ["close 0"])
  }

  @Test("with a lost connection the free ones are closed, and one is opened before the others")
  func sharedFate() {
    var pool = machine(max: 4, hosts: 2)
    _ = pool.start()
    for name in ["a", "b", "c"] { _ = pool.wait(name, until: at(2000)) }
    #expect(
      words(pool.connected(0, at: .zero)) == ["close 1", "give 0 to a", "connect 2", "connect 3"])
    #expect(words(pool.connected(2, at: .zero)) == ["give 2 to b"])
    #expect(words(pool.connected(3, at: .zero)) == ["give 3 to c"])
    _ = pool.release(2)
    #expect(words(pool.lost(0, at: .zero)) == ["close 2", "connect 4", "connect 5 to 1"])
    for name in ["d", "e"] { #expect(words(pool.wait(name, until: at(2000))) == []) }
    #expect(
      words(pool.connected(5, at: .zero)) == ["close 4", "give 5 to d", "connect 6 to 1"])
  }

  @Test("a late loss on the former primary closes no connection to the new one")
  func formerPrimary() {
    var pool = machine(max: 3, hosts: 2)
    _ = pool.start()
    for name in ["a", "b"] { _ = pool.wait(name, until: at(2000)) }
    #expect(words(pool.connected(0, at: .zero)) == ["close 1", "give 0 to a", "connect 2"])
    #expect(words(pool.connected(2, at: .zero)) == ["give 2 to b"])
    #expect(words(pool.lost(2, at: .zero)) == ["connect 3", "connect 4 to 1"])
    #expect(words(pool.connected(4, at: .zero)) == ["close 3"])
    #expect(words(pool.lost(0, at: .zero)) == [])
    #expect(pool.leaseNow() == 4)
  }

  @Test("of several failed attempts at a host, one is repeated")
  func oneAttempt() {
    var pool = machine(max: 3)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.leaseNow()
    _ = pool.wait("a", until: at(2000))
    #expect(words(pool.wait("b", until: at(2000))) == ["connect 2"])
    #expect(words(pool.lost(1, at: .zero)) == [])
    #expect(words(pool.lost(2, at: .zero)) == [])
    #expect(words(pool.wait("c", until: at(2000))) == [])
    #expect(words(pool.tick(at: at(25))) == ["connect 2"])
    #expect(words(pool.connected(2, at: at(30))) == ["give 2 to a", "connect 3"])
  }

  @Test("an old connection is not leased again, and closed after its last release")
  func lifetime() {
    var pool = machine(max: 1, leases: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.leaseNow()
    #expect(words(pool.tick(at: at(99_999))) == [])
    #expect(pool.leaseNow() == 0)
    #expect(words(pool.tick(at: at(100_000))) == [])
    #expect(pool.leaseNow() == nil)
    #expect(words(pool.release(0)) == [])
    #expect(words(pool.release(0)) == ["close 0", "connect 1"])
  }

  @Test("closing rejects waiting requests, and closes free and later released connections")
  func closes() {
    var pool = machine(max: 2, min: 2)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.connected(1, at: .zero)
    _ = pool.leaseNow()
    _ = pool.leaseNow()
    _ = pool.wait("a", until: at(1))
    _ = pool.release(1)
    _ = pool.release(1)
    #expect(words(pool.close()) == ["close 1"])
    #expect(words(pool.wait("b", until: at(1))) == ["refuse b: closed"])
    #expect(words(pool.release(0)) == ["close 0"])
    #expect(pool.nextWake == nil)
  }

  @Test("an event of a removed connection changes nothing")
  func stale() {
    var pool = machine(max: 1)
    _ = pool.start()
    _ = pool.connected(0, at: .zero)
    _ = pool.lost(0, at: .zero)
    #expect(words(pool.connected(0, at: .zero)) == ["close 0"])
    #expect(words(pool.lost(0, at: .zero)) == [])
    #expect(words(pool.release(0)) == [])
  }
}
