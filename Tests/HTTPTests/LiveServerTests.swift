import HTTP
import HTTPFixture
import Operations
import Requirements
import Testing
import Web

private let hello = Route(.get, "/hello") { (_) throws(Problem) in
  Response(contentType: "text/plain", bytes: Array("hello".utf8))
}

private let echo = Route(.post, "/echo") { (request) throws(Problem) in
  Response(contentType: "application/octet-stream", bytes: request.body.bytes)
}

@Suite("A server on a real socket", .tags(.GW_4))
struct LiveServerTests {
  @Test("two successive requests are answered on one connection")
  func keepAlive() async throws {
    let server = try await TestServer.start([hello])
    let client = try RawClient(server.address)
    for _ in 0..<2 {
      client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = await client.receive(until: "hello")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("content-length: 5\r\n"))
      #expect(!answer.contains("connection: close"))
    }
    await server.stop()
    #expect(await client.receive() == nil)
  }

  @Test("pipelined requests are answered in order")
  func pipelining() async throws {
    let server = try await TestServer.start([hello, echo])
    let client = try RawClient(server.address)
    client.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\noneGET /hello HTTP/1.1\r\n"
        + "Host: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n2\r\nth\r\n3\r\nree\r\n0\r\n\r\n")
    let bodies = await client.receiveAll().split(
      separator: "\r\n\r\n", omittingEmptySubsequences: false)
    #expect(bodies[1].hasPrefix("one"))
    #expect(bodies[2].hasPrefix("hello"))
    #expect(bodies[3] == "three")
    await server.stop()
  }
}
