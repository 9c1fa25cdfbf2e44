import EventLoop
import HTTP
import Requirements
import Testing

@Suite("The HTTP/1.1 server engine", .tags(.GW_4))
struct HTTP1ServerEngineTests {
  let host = FakeHost()
  let engine: HTTP1ServerEngine

  init() {
    engine = HTTP1ServerEngine(host: host)
  }

  private func receive(_ text: String) { engine.receive(Array(text.utf8).span) }

  private func answerAtEnd(_ text: String = "ok") {
    host.script = { handler in handler.onEnd = { $0.answer(text) } }
  }

  @Test("a second request waits while the first is answered")
  func pipelining() {
    receive("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(host.handlers.count == 1)
    host.handlers[0].answer("one")
    #expect(host.handlers.count == 2)
    host.handlers[1].answer("two")
    #expect(host.text.components(of: "HTTP/1.1 200 OK\r\n") == 2)
    #expect(host.phases.last == .idle)
  }

  @Test("reading pauses while too many bytes are pipelined after a request")
  func pipelineLimit() {
    let request = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
    receive(request)
    receive(String(repeating: "x", count: host.limits.value.pipelinedBytesMax))
    #expect(host.isReading)
    receive("x")
    #expect(!host.isReading)
  }

  @Test("100 Continue is sent when the handler reads the body, and not before")
  func expectation() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    host.script = { handler in handler.onHead = { $0.stream?.pauseBody() } }
    receive(head)
    #expect(host.text.isEmpty)
    host.handlers[0].stream?.resumeBody()
    #expect(host.text == "HTTP/1.1 100 Continue\r\n\r\n")
    receive("ab")
    host.loop.runUntilIdle()
    #expect(host.handlers[0].body == Array("ab".utf8))
    #expect(host.handlers[0].isComplete)
  }

  @Test("a refusal instead of 100 Continue closes, because the body may follow or not")
  func expectationRefused() {
    host.script = { handler in handler.onHead = { $0.answer("no", .forbidden) } }
    receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(host.text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
    #expect(host.text.contains("connection: close\r\n"))
    #expect(host.closedLingering == true)
  }

  @Test("a paused body is held back and then delivered completely")
  func pause() {
    host.script = { handler in handler.onHead = { $0.stream?.pauseBody() } }
    receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
    #expect(!host.isReading)
    #expect(host.handlers[0].body.isEmpty)
    host.handlers[0].stream?.resumeBody()
    host.loop.runUntilIdle()
    #expect(host.isReading)
    receive("def")
    #expect(host.handlers[0].body == Array("abcdef".utf8))
    #expect(host.handlers[0].isComplete)
  }

  @Test(
    "a body paused at its last part still ends", .tags(.GW_5),
    arguments: [
      "Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ])
  func pauseAtTheEnd(rest: String) {
    host.script = { handler in handler.onBody = { $0.stream?.pauseBody() } }
    receive("POST / HTTP/1.1\r\nHost: a\r\n" + rest)
    #expect(host.handlers[0].body == Array("abc".utf8))
    #expect(!host.handlers[0].isComplete)
    host.handlers[0].stream?.resumeBody()
    host.loop.runUntilIdle()
    #expect(host.handlers[0].isComplete)
    #expect(host.phases.last == .answering)
  }

  @Test("the time-out of a body is not started when it is paused again immediately", .tags(.GW_5))
  func pausedAgain() {
    host.script = { handler in handler.onHead = { $0.stream?.pauseBody() } }
    receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
    host.handlers[0].stream?.resumeBody()
    host.handlers[0].stream?.pauseBody()
    host.loop.runUntilIdle()
    #expect(host.phases.last == .answering)
    #expect(!host.isReading)
  }

  @Test("a short rest of an unread body is dropped, a long one closes the connection")
  func unwantedBody() {
    host.script = { handler in handler.onHead = { $0.answer("no", .notFound) } }
    receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
    #expect(host.closedLingering == nil)
    receive("cdPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n")
    #expect(host.handlers.count == 2)
    #expect(host.closedLingering == true)
    #expect(host.text.components(of: "connection: close") == 1)
  }

  @Test(
    "the last response closes at once after a request that was read whole",
    arguments: [
      "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    ])
  func lastResponse(request: String) {
    host.script = { handler in handler.onHead = { $0.answer("yes", .ok) } }
    receive(request)
    #expect(host.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(host.closedLingering == false)
  }

  @Test("a malformed request is answered with a problem, and the connection is closed")
  func malformed() {
    receive("GET / HTTP/1.1\r\n\r\n")
    #expect(host.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(host.text.contains("content-type: application/problem+json\r\n"))
    #expect(host.text.contains("\"error\":\"Malformed request\""))
    #expect(host.text.contains("\"requestID\":\""))
    #expect(host.closedLingering == true)
    #expect(host.handlers.isEmpty)
  }

  @Test("a body with invalid framing aborts the handler and is answered with 400")
  func malformedBody() {
    receive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    #expect(host.handlers[0].abortReason == .malformed)
    #expect(host.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
  }

  @Test("an invalid body after the start of the response resets the connection")
  func malformedBodyLate() {
    host.script = { handler in
      handler.onHead = { $0.stream?.send(head: ResponseHead(.ok), endStream: false) }
    }
    receive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    #expect(host.isAborted)
    #expect(host.handlers[0].abortReason == .malformed)
  }

  @Test("a slow head or body is answered with 408", .tags(.GW_5))
  func timeOut() {
    receive("GET / HTTP/1.1\r\nHo")
    #expect(host.phases.last == .head)
    engine.timedOut(.head)
    #expect(host.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    let second = FakeHost()
    let other = HTTP1ServerEngine(host: second)
    other.receive(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na".utf8).span)
    #expect(second.phases.last == .body)
    other.timedOut(.body)
    #expect(second.handlers[0].abortReason == .timedOut)
    #expect(second.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
  }

  @Test("a client that disconnects within a body aborts the handler")
  func disconnect() {
    receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
    engine.inputEnded()
    #expect(host.handlers[0].abortReason == .peerClosed)
    #expect(host.closedLingering == false)
  }

  @Test("a client that has closed its sending side still receives its response")
  func halfClosed() {
    receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    engine.inputEnded()
    #expect(host.closedLingering == nil)
    host.handlers[0].answer("late")
    #expect(host.text.hasSuffix("late"))
    #expect(host.closedLingering == false)
  }

  @Test("stopping closes a busy connection after its response, an idle one after a last request")
  func stop() {
    receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    engine.stop()
    #expect(host.closedLingering == nil)
    host.handlers[0].answer("last")
    #expect(host.text.contains("connection: close\r\n"))
    #expect(host.closedLingering == true)
    let idle = FakeHost()
    HTTP1ServerEngine(host: idle).stop()
    idle.loop.advance(by: idle.timeouts.value.lastRequest - .milliseconds(1))
    #expect(idle.closedLingering == nil)
    idle.loop.advance(by: .milliseconds(1))
    #expect(idle.closedLingering == false)
  }

  @Test("a last request that has arrived when its time ends is answered")
  func unreadLastRequest() {
    host.script = { handler in handler.onHead = { $0.answer("yes", .ok) } }
    host.unreadInput = { receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
    engine.stop()
    host.loop.advance(by: host.timeouts.value.lastRequest)
    #expect(host.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(host.text.contains("connection: close\r\n"))
    #expect(host.handlers.count == 1)
    #expect(host.closedLingering == true)
  }

  @Test("HEAD has the length of GET and no body")
  func head() {
    answerAtEnd("hello")
    receive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(host.text == "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
  }

  @Test("a body of unknown length is chunked, and for HTTP/1.0 ends with the connection")
  func unknownLength() {
    host.script = { handler in
      handler.onEnd = { handler in
        handler.stream?.send(head: ResponseHead(.ok), endStream: false)
        handler.stream?.send(body: Array("abc".utf8).span, endStream: false)
        handler.stream?.send(body: [UInt8](repeating: 0x64, count: 17).span, endStream: true)
      }
    }
    receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(
      host.text.hasSuffix(
        "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n11\r\nddddddddddddddddd\r\n0\r\n\r\n"))
    host.output = []
    receive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(
      host.text == "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabcddddddddddddddddd")
    #expect(host.closedLingering == false)
  }

  @Test("a body longer or shorter than announced resets the connection")
  func wrongLength() {
    for count in [1, 3] {
      let host = FakeHost()
      let engine = HTTP1ServerEngine(host: host)
      engine.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span)
      let stream = host.handlers[0].stream
      stream?.send(head: ResponseHead(.ok, contentLength: 2), endStream: false)
      stream?.send(body: [UInt8](repeating: 0, count: count).span, endStream: true)
      #expect(host.isAborted)
    }
  }

  @Test("no value of a field can start another line")
  func injection() {
    host.script = { handler in
      handler.onEnd = { handler in
        var head = ResponseHead(.ok)
        head.fields.append(.location, "/a\r\nSet-Cookie: x")
        head.fields.append("x-\r\ny", "v")
        head.fields.append(.connection, "close")
        head.fields.append(.contentLength, "99")
        handler.stream?.send(head: head, endStream: true)
      }
    }
    receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(
      host.text == "HTTP/1.1 200 OK\r\nlocation: /a  Set-Cookie: x\r\nx---y: v\r\n"
        + "content-length: 0\r\n\r\n")
  }

  @Test("a connection ends after its last allowed request")
  func requestLimit() {
    var limits = HTTPLimits()
    limits.requestsPerConnectionMax = 2
    host.limits = Shared(limits)
    let engine = HTTP1ServerEngine(host: host)
    answerAtEnd()
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    engine.receive(request.span)
    #expect(host.closedLingering == nil)
    engine.receive(request.span)
    #expect(host.closedLingering == true)
  }
}

extension String {
  /// The number of occurrences of `text`.
  func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
