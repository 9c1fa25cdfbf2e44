import EventLoop
import HTTP
import Requirements
import Testing

@Suite("Slow heads over HTTP/2", .tags(.GW_5))
struct HTTP2SlowHeadTests {
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  /// `GET http://a/` in HPACK's static table.
  private static let block: [UInt8] = [0x82, 0x84, 0x86, 0x41, 0x01, 0x61]
  private static let endsHead: UInt8 = 4

  /// HEADERS (1) or CONTINUATION (9) of a request without a body.
  private static func frame(
    _ type: UInt8, flags: UInt8, stream: UInt8, _ block: ArraySlice<UInt8>
  ) -> [UInt8] {
    let ending: UInt8 = type == 1 ? 1 : 0
    return [0, 0, UInt8(block.count), type, flags | ending, 0, 0, 0, stream] + block
  }

  private struct Served {
    let host = FakeHost()
    let engine: HTTP2ServerEngine

    init(_ script: @escaping (ScriptedHandler) -> Void = { $0.onEnd = { $0.answer("x") } }) throws {
      host.script = script
      engine = try HTTP2ServerEngine(host: host, settings: HTTP2Settings())
      send(preface + settings)
    }

    func send(_ bytes: [UInt8]) {
      engine.receive(bytes.span)
      engine.willFlush()
    }

    func wait(_ seconds: Double) { host.loop.advance(by: .milliseconds(Int(seconds * 1000))) }

    /// Whether the connection was ended by a GOAWAY with ENHANCE_YOUR_CALM.
    var isCutOff: Bool {
      let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0]
      guard let place = host.output.firstRange(of: goAway) else { return false }
      return host.closedLingering == false
        && host.output[place.upperBound...].dropFirst(4).prefix(4).elementsEqual([0, 0, 0, 11])
    }
  }

  @Test("a head in slow CONTINUATION frames ends the connection after the head time-out")
  func dripped() throws {
    let served = try Served()
    served.send(Self.frame(1, flags: 0, stream: 1, Self.block[..<1]))
    for index in 1..<5 {
      served.wait(2.4)
      served.send(Self.frame(9, flags: 0, stream: 1, Self.block[index...index]))
    }
    #expect(!served.isCutOff)
    served.wait(0.5)
    #expect(served.isCutOff)
    #expect(served.host.handlers.isEmpty)
  }

  @Test("a head that stops within its frame times out too, also during another request")
  func besideAnother() throws {
    let served = try Served { _ in }
    served.send(Self.frame(1, flags: Self.endsHead, stream: 1, Self.block[...]))
    #expect(served.host.handlers.count == 1)
    served.wait(60)
    served.send(Array(Self.frame(1, flags: Self.endsHead, stream: 3, Self.block[...]).dropLast()))
    served.wait(9.9)
    #expect(!served.isCutOff)
    served.wait(0.2)
    #expect(served.isCutOff)
    #expect(served.host.handlers[0].abortReason != nil)
  }

  @Test("each head has its own time-out, also one that follows another immediately")
  func oneAfterAnother() throws {
    let served = try Served()
    for number in 0..<10 {
      let frame = Self.frame(
        1, flags: Self.endsHead, stream: UInt8(2 * number + 1), Self.block[...])
      served.send(Array(frame[..<12]))
      served.wait(6)
      served.send(Array(frame[12...]))
    }
    #expect(!served.isCutOff)
    #expect(served.host.handlers.count == 10)
    #expect(served.host.closedLingering == nil)
  }

  @Test("the head time-out is paused while reading is paused by pending responses")
  func congested() throws {
    let served = try Served()
    let frame = Self.frame(1, flags: Self.endsHead, stream: 1, Self.block[...])
    served.send(Array(frame.dropLast()))
    served.host.isCongested = true
    served.wait(25)
    served.host.isCongested = false
    served.engine.outputDrained()
    served.wait(9)
    #expect(!served.isCutOff)
    served.send(Array(frame.suffix(1)))
    #expect(served.host.handlers.count == 1)
  }
}
