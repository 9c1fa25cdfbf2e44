import EventLoop
import HTTP
import Requirements
import Testing

@Suite("HTTP/2 responses that precede the end of a paused body", .tags(.GW_5))
struct HTTP2EarlyAnswerTests {
  /// When a handler answers a request whose body it has paused.
  enum Moment: Sendable, CaseIterable {
    case atHead, atBody, later
  }

  @Test("a paused request is over once its response is sent", arguments: Moment.allCases)
  func paused(_ moment: Moment) throws {
    let host = FakeHost()
    host.script = { handler in
      switch moment {
      case .atHead:
        handler.onHead = {
          $0.stream?.pauseBody()
          $0.answer("a")
        }
      case .atBody:
        handler.onBody = {
          $0.stream?.pauseBody()
          $0.answer("a")
        }
      case .later: handler.onHead = { $0.stream?.pauseBody() }
      }
    }
    let engine = try HTTP2ServerEngine(host: host, settings: .public)
    let client = try FrameClient()
    client.request(endStream: false)
    client.frame(.data, stream: 1, [1, 2, 3])
    client.frame(.data, flags: 1, stream: 1, [4, 5, 6])
    engine.receive(client.takeBytes().span)
    let handler = try #require(host.handlers.first)
    if moment == .later { handler.answer("a") }
    handler.stream?.pauseBody()
    host.loop.runUntilIdle()
    engine.willFlush()
    #expect(host.phases == [.answering, .idle])
    #expect(handler.body == (moment == .atBody ? [1, 2, 3] : []))
    #expect(!handler.isComplete && handler.abortReason == nil)
    engine.connectionLost(.peerClosed)
    #expect(handler.abortReason == nil)
  }
}
