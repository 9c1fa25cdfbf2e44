import HTTP
import Requirements
import Support
import Testing

@Suite("TLS sessions")
struct TLSSessionTests {
  @Test(
    "TLS 1.2 and 1.3 carry bytes both ways in chunks of any size", .tags(.GW_4),
    arguments: [TLSVersion.tls12, .tls13])
  func transfer(version: TLSVersion) throws {
    var numbers = SeededRandom()
    let pair = try TLSPair(clientVersions: version...version)
    try pair.exchange(using: &numbers)
    #expect(pair.client.isHandshakeComplete && pair.server.isHandshakeComplete)
    #expect(pair.client.version == version && pair.server.version == version)
    #expect(pair.client.applicationProtocol == .http2)
    #expect(pair.server.applicationProtocol == .http2)
    let up = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    let down = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }
    try pair.client.send(up.span)
    try pair.server.send(down.span)
    try pair.exchange(using: &numbers)
    let isSame = pair.serverReceived == up && pair.clientReceived == down
    #expect(isSame)
  }

  @Test("data sent before the end of the handshake is buffered, up to a limit")
  func earlyPlaintext() throws {
    let pair = try TLSPair()
    let bytes = [UInt8](repeating: 7, count: TLSSession.earlyPlaintextBytesMax)
    try pair.client.send(bytes.span)
    #expect(throws: TLSError.closed) { try pair.client.send([1].span) }
    try pair.exchange()
    let isSame = pair.serverReceived == bytes
    #expect(isSame)
  }

  @Test("one flush writes records of 16 KiB")
  func records() throws {
    let pair = try TLSPair()
    try pair.exchange()
    pair.wire = []
    try pair.server.send([UInt8](repeating: 1, count: 160 * 1024).span)
    try pair.exchange()
    var records = 0
    var rest = pair.wire[...]
    while rest.count >= 5 {
      records += 1
      rest = rest.dropFirst(
        5 + Int(rest[rest.startIndex + 3]) << 8 + Int(rest[rest.startIndex + 4]))
    }
    #expect(records == 10 && rest.isEmpty)
  }

  @Test("the server's order of protocols takes precedence", .tags(.GW_4))
  func protocolOrder() throws {
    let pair = try TLSPair(clientProtocols: [.http1, .http2])
    try pair.exchange()
    #expect(pair.server.applicationProtocol == .http2)
    let older = try TLSPair(clientProtocols: [.http1])
    try older.exchange()
    #expect(older.server.applicationProtocol == .http1)
    #expect(older.client.applicationProtocol == .http1)
  }

  @Test("a client without ALPN is accepted, without a protocol", .tags(.GW_4))
  func withoutProtocols() throws {
    let pair = try TLSPair(clientProtocols: [])
    try pair.exchange()
    #expect(pair.server.isHandshakeComplete && pair.server.applicationProtocol == nil)
  }

  @Test("a client with other protocols only is refused with no_application_protocol", .tags(.GW_4))
  func protocolMismatch() throws {
    let pair = try TLSPair(serverProtocols: [.http2], clientProtocols: [.http1])
    #expect(throws: TLSError.noApplicationProtocol) { try pair.exchange() }
    var alert: [UInt8] = []
    pair.server.pullOutput(into: &alert)
    #expect(alert.suffix(2) == [2, 120])
    var plaintext: [UInt8] = []
    #expect(throws: TLSError.noApplicationProtocol) {
      try pair.client.receive(alert.span, appendingTo: &plaintext)
    }
    #expect(throws: TLSError.closed) {
      try pair.client.receive(alert.span, appendingTo: &plaintext)
    }
    #expect(throws: TLSError.closed) { try pair.server.send([1].span) }
  }

  @Test("TLS 1.1 is refused with the alert protocol_version", .tags(.GW_4))
  func oldVersion() throws {
    let context = try TLSContext(server: TLSPair.certificate())
    let server = try TLSSession(context: context)
    // A ClientHello of TLS 1.1 with one cipher suite and no extensions (RFC 4346, 7.4.1.2).
    let hello: [UInt8] =
      [3, 2] + [UInt8](repeating: 9, count: 32) + [0, 0, 2, 0xC0, 0x13, 1, 0]
    let handshake = [1, 0, 0, UInt8(hello.count)] + hello
    let record = [22, 3, 1, 0, UInt8(handshake.count)] + handshake
    var plaintext: [UInt8] = []
    #expect(throws: TLSError.unsupportedVersion) {
      try server.receive(record.span, appendingTo: &plaintext)
    }
    var alert: [UInt8] = []
    server.pullOutput(into: &alert)
    #expect(alert.suffix(2) == [2, 70])
  }

  @Test("disjoint ranges of versions are refused on both sides")
  func versionMismatch() throws {
    let pair = try TLSPair(
      serverVersions: .tls13 ... .tls13, clientVersions: .tls12 ... .tls12)
    #expect(throws: TLSError.unsupportedVersion) { try pair.exchange() }
  }

  @Test("an end without close_notify is distinguished from a close", .tags(.GW_4))
  func truncated() throws {
    let pair = try TLSPair()
    try pair.exchange()
    pair.server.close()
    pair.server.close()
    #expect(throws: TLSError.closed) { try pair.server.send([1].span) }
    try pair.exchange()
    #expect(pair.client.isPeerClosed && !pair.server.isPeerClosed)
    try pair.client.receiveEnd()
    try pair.client.send([1, 2].span)
    try pair.exchange()
    #expect(pair.serverReceived == [1, 2])
    #expect(throws: TLSError.truncated) { try pair.server.receiveEnd() }
    #expect(throws: TLSError.closed) { try pair.server.receiveEnd() }
  }

  @Test("bytes that are not TLS are refused", .tags(.GW_4))
  func notTLS() throws {
    let context = try TLSContext(server: TLSPair.certificate())
    let server = try TLSSession(context: context)
    let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    var plaintext: [UInt8] = []
    #expect(throws: TLSError.self) {
      try server.receive(request.span, appendingTo: &plaintext)
    }
    #expect(plaintext.isEmpty)
  }

  @Test("a damaged record is refused and yields no plaintext", .tags(.GW_4))
  func damaged() throws {
    var numbers = SeededRandom()
    for version in [TLSVersion.tls12, .tls13] {
      let pair = try TLSPair(clientVersions: version...version)
      try pair.exchange()
      try pair.client.send([UInt8](repeating: 3, count: 1000).span)
      var bytes: [UInt8] = []
      pair.client.pullOutput(into: &bytes)
      let place = Int.random(in: 5..<bytes.count, using: &numbers)
      bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
      #expect(throws: TLSError.self) {
        try pair.server.receive(bytes.span, appendingTo: &pair.serverReceived)
      }
      #expect(pair.serverReceived.isEmpty)
    }
  }

  @Test("damaged handshakes end in errors, never in a crash")
  func fuzz() throws {
    var numbers = SeededRandom()
    let context = try TLSContext(server: TLSPair.certificate())
    for _ in 0..<200 {
      let pair = try TLSPair.client()
      var bytes: [UInt8] = []
      pair.pullOutput(into: &bytes)
      for _ in 0..<Int.random(in: 0...8, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
          in: 0...255, using: &numbers)
      }
      let server = try TLSSession(context: context)
      var plaintext: [UInt8] = []
      do {
        try server.receive(bytes.span, appendingTo: &plaintext)
      } catch {
        #expect(throws: TLSError.closed) {
          try server.receive(bytes.span, appendingTo: &plaintext)
        }
      }
      #expect(plaintext.isEmpty && !server.isHandshakeComplete)
    }
  }
}

extension TLSPair {
  /// A client without a server.
  static func client() throws -> TLSSession {
    let context = try TLSContext(clientTrusting: .system)
    return try TLSSession(context: context, serverName: "localhost")
  }
}
