import EventLoop
import HTTP
import Requirements
import Testing
import Time

/// Limits of a connection in one turn of its loop, and of its network after a flood.
@Suite("HTTP/2 connections on a shared loop", .tags(.GW_5))
struct HTTP2TurnTests {
  private struct Served {
    let host = FakeHost()
    let engine: HTTP2ServerEngine
    let client: FrameClient

    init() throws {
      host.script = { handler in handler.onEnd = { $0.answer("a") } }
      engine = try HTTP2ServerEngine(host: host, settings: .public)
      client = try FrameClient()
    }

    func send() { engine.receive(client.takeBytes().span) }
  }

  @Test("16 requests of one read are handled in the same turn")
  func fewHeads() throws {
    let served = try Served()
    for number in 0..<UInt32(16) { served.client.request(stream: 2 * number + 1) }
    served.send()
    #expect(served.host.handlers.count == 16)
    #expect(served.host.isReading)
  }

  @Test("further requests of one read wait for later turns, and reading pauses meanwhile")
  func manyHeads() throws {
    let served = try Served()
    for number in 0..<UInt32(40) { served.client.request(stream: 2 * number + 1) }
    served.send()
    #expect(served.host.handlers.count == 16)
    #expect(!served.host.isReading)
    served.host.loop.runUntilIdle()
    #expect(served.host.handlers.count == 40)
    let areComplete = served.host.handlers.allSatisfy(\.isComplete)
    #expect(areComplete)
    #expect(served.host.isReading)
  }

  @Test("a violation after waiting requests ends the connection after them", .tags(.GW_4))
  func lateOffence() throws {
    let served = try Served()
    for number in 0..<UInt32(20) { served.client.request(stream: 2 * number + 1) }
    served.client.frame(.data, stream: 1, [1, 2, 3, 4])
    served.client.request(stream: 101)
    served.send()
    served.host.loop.runUntilIdle()
    served.engine.willFlush()
    #expect(served.host.handlers.count == 20)
    #expect(served.host.closedLingering == false)
    #expect(!served.host.isFlooded)
  }

  @Test("a flood is reported to the connection's server")
  func reported() throws {
    let served = try Served()
    for _ in 0..<1001 { served.client.frame(.priority, stream: 3, [0, 0, 0, 1, 0]) }
    served.send()
    served.engine.willFlush()
    #expect(served.host.closedLingering == false)
    #expect(served.host.isFlooded)
  }

  @Test("a network is remembered for 10 s after its last flood")
  func remembered() {
    var networks = FloodedNetworks()
    let peer = PeerAddress.ipv4(1, port: 1)
    networks.note(peer, at: .zero)
    networks.note(peer, at: .zero + .seconds(5))
    #expect(networks.contains(.ipv4(1, port: 2), at: .zero + .milliseconds(14_999)))
    #expect(!networks.contains(peer, at: .zero + .seconds(15)))
    #expect(!networks.contains(.ipv4(2, port: 1), at: .zero + .seconds(5)))
  }

  @Test("1024 networks are remembered, and the oldest one is replaced")
  func capacity() {
    var networks = FloodedNetworks()
    for number in 0..<UInt32(1024) {
      networks.note(.ipv4(number, port: 1), at: .zero + .milliseconds(Int(number)))
    }
    #expect(networks.contains(.ipv4(0, port: 1), at: .zero + .seconds(2)))
    networks.note(.ipv4(1024, port: 1), at: .zero + .seconds(2))
    #expect(!networks.contains(.ipv4(0, port: 1), at: .zero + .seconds(2)))
    #expect(networks.contains(.ipv4(1, port: 1), at: .zero + .seconds(2)))
    #expect(networks.contains(.ipv4(1024, port: 1), at: .zero + .seconds(2)))
  }
}
