import CLinux
import EventLoop
import Gateway
import HTTP
import Operations
import Requirements
import Testing
import Time

@Suite("The certificate of the HTTPS port", .tags(.NFR_5))
struct PublicCertificateTests {
  private func withFiles(_ body: (_ certificate: String, _ key: String) throws -> Void) throws {
    var name = Array("/tmp/trackme-tls-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&name) != nil
    try #require(made)
    let directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let paths = (certificate: "\(directory)/certificate.pem", key: "\(directory)/key.pem")
    defer {
      for path in [paths.certificate, paths.key] { try? FileSystem.remove(path) }
      _ = unsafe rmdir(directory)
    }
    try body(paths.certificate, paths.key)
  }

  private func write(_ identity: TLSIdentity, _ certificate: String, _ key: String) throws {
    try FileSystem.writeAtomically(certificate, identity.certificateChain)
    try FileSystem.writeAtomically(key, identity.privateKey)
  }

  /// Whether a client that trusts only this certificate completes the handshake.
  private func isPresented(_ identity: TLSIdentity, by context: TLSContext) throws -> Bool {
    let server = try TLSSession(context: context)
    let client = try TLSSession(
      context: TLSContext(clientTrusting: .certificates(identity.certificateChain)),
      serverName: "localhost")
    var plain: [UInt8] = []
    do throws(TLSError) {
      while client.hasOutput || server.hasOutput {
        var bytes: [UInt8] = []
        client.pullOutput(into: &bytes)
        try server.receive(bytes.span, appendingTo: &plain)
        bytes = []
        server.pullOutput(into: &bytes)
        try client.receive(bytes.span, appendingTo: &plain)
      }
    } catch {
      return false
    }
    return client.isHandshakeComplete && server.isHandshakeComplete
  }

  @Test(
    "a changed certificate is presented within seconds, and ticket keys are new every day",
    .tags(.OPS_4))
  func renewed() throws {
    try withFiles { certificate, key in
      let loop = EventLoop.manual()
      let renewal = try PublicCertificate(
        certificate: certificate, key: key, on: loop, log: .none, environment: .system)
      renewal.start()
      loop.runUntilIdle()
      let first = renewal.current.value
      let now = Instant.system.microsecondsSince1970 / 1_000_000
      let replaced = try SelfSignedCertificate(now: now).identity
      try write(replaced, certificate, key)
      loop.advance(by: PublicCertificate.pause - .seconds(1))
      #expect(renewal.current.value === first)
      #expect(try !isPresented(replaced, by: renewal.current.value))
      loop.advance(by: .seconds(1))
      let second = renewal.current.value
      #expect(second !== first)
      #expect(try isPresented(replaced, by: second))
      loop.advance(by: PublicCertificate.contextMax - PublicCertificate.pause)
      #expect(renewal.current.value === second)
      loop.advance(by: PublicCertificate.pause)
      #expect(renewal.current.value !== second)
    }
  }

  @Test("a certificate that does not match its key is logged, and the previous one stays in use")
  func broken() throws {
    try withFiles { certificate, key in
      let loop = EventLoop.manual()
      let lines = LogRecorder()
      let renewal = try PublicCertificate(
        certificate: certificate, key: key, on: loop,
        log: Log(process: "gateway", sink: lines.sink), environment: .system)
      renewal.start()
      loop.runUntilIdle()
      let first = renewal.current.value
      let now = Instant.system.microsecondsSince1970 / 1_000_000
      let other = try SelfSignedCertificate(now: now).identity
      try FileSystem.writeAtomically(key, other.privateKey)
      // Two files are not replaced at one moment: the first failure may be the pause between them.
      loop.advance(by: PublicCertificate.pause)
      #expect(lines.lines.isEmpty)
      loop.advance(by: PublicCertificate.contextMax)
      #expect(renewal.current.value === first)
      #expect(lines.lines.count == 1 && lines.lines[0].contains("\"level\":\"error\""))
      renewal.stop()
      loop.runUntilIdle()
      loop.advance(by: PublicCertificate.pause * 4)
      #expect(lines.lines.count == 1)
    }
  }
}
