import HTTP
import Requirements
import Synchronization
import Testing

@Suite("Mutual TLS between processes", .tags(.OPS_3))
struct MutualTLSTests {
  /// OpenSSL compares the validity with the system's clock.
  private static let start: Int64 = 1_700_000_000
  private static let century: Int64 = 3_000_000_000

  private static func makeAuthority(_ name: String = "inner") throws -> CertificateAuthority {
    try CertificateAuthority(named: name, now: start, days: 36_500)
  }

  private let authority: CertificateAuthority
  private var trusted: [UInt8] { authority.identity.certificateChain }

  init() throws { authority = try Self.makeAuthority() }

  private func identity(
    _ name: String, of authority: CertificateAuthority? = nil, isServer: Bool = true,
    isClient: Bool = true, now: Int64 = start, seconds: Int64 = century
  ) throws -> TLSIdentity {
    let order = try #require(
      CertificateOrder(name: name, isServer: isServer, isClient: isClient))
    return try (authority ?? self.authority).issue(order, now: now, seconds: seconds)
  }

  /// The service `data4help`, which the gateway and Track4Run may call.
  private func server(
    _ identity: TLSIdentity? = nil, trusting authorities: [UInt8]? = nil,
    onFailure: (@Sendable (TLSError) -> Void)? = nil
  ) throws -> TLSContext {
    let peers = TLSPeers(signedBy: authorities ?? trusted, named: ["gateway", "track4run"])
    return try TLSContext(
      server: try identity ?? self.identity("data4help"), acceptingOnly: peers,
      onFailure: onFailure)
  }

  private func client(
    _ identity: TLSIdentity? = nil, trusting authorities: [UInt8]? = nil
  ) throws -> TLSContext {
    try TLSContext(
      client: try identity ?? self.identity("gateway"), trusting: authorities ?? trusted)
  }

  /// Why the handshake of a client and a server for `data4help` fails; nil if it succeeds.
  private func refusal(_ server: TLSContext, _ client: TLSContext) throws -> TLSError? {
    let pair = try TLSPair(server, client, serverName: "data4help")
    do { try pair.exchange() } catch { return error as? TLSError }
    #expect(pair.server.isHandshakeComplete && pair.client.isHandshakeComplete)
    #expect(pair.server.version == .tls13 && pair.client.applicationProtocol == .http2)
    return nil
  }

  private func isRejection(_ error: TLSError?, _ reason: String) -> Bool {
    guard case .certificateRejected(let text)? = error else { return false }
    return text.contains(reason)
  }

  @Test("permitted callers and the service know each other", arguments: ["gateway", "track4run"])
  func accepted(name: String) throws {
    #expect(try refusal(server(), client(identity(name))) == nil)
  }

  @Test("a client without a certificate is refused")
  func withoutCertificate() throws {
    let anonymous = try TLSContext(clientTrusting: .certificates(trusted), protocols: [.http2])
    guard case .protocolViolation(let reason)? = try refusal(server(), anonymous) else {
      Issue.record("the client was not refused")
      return
    }
    #expect(reason.contains("certificate"))
  }

  @Test("certificates of another authority are refused on both sides")
  func otherAuthority() throws {
    let other = try Self.makeAuthority("other")
    let stranger = try identity("gateway", of: other)
    #expect(isRejection(try refusal(server(), client(stranger)), "issuer"))
    let impostor = try server(identity("data4help", of: other))
    #expect(isRejection(try refusal(impostor, client()), "issuer"))
  }

  @Test("certificates for another role are refused on both sides")
  func otherRole() throws {
    #expect(isRejection(try refusal(server(), client(identity("data4help"))), "mismatch"))
    #expect(isRejection(try refusal(server(), client(identity("database"))), "mismatch"))
    let impostor = try server(identity("track4run"))
    #expect(isRejection(try refusal(impostor, client()), "mismatch"))
  }

  @Test("a certificate that is only for servers opens no connection, and the reverse")
  func otherUse() throws {
    let forServers = try identity("gateway", isClient: false)
    #expect(isRejection(try refusal(server(), client(forServers)), "purpose"))
    let forClients = try server(identity("data4help", isServer: false))
    #expect(isRejection(try refusal(forClients, client()), "purpose"))
  }

  @Test("certificates that have ended are refused on both sides")
  func expired() throws {
    let ended = try identity("gateway", seconds: 60)
    #expect(isRejection(try refusal(server(), client(ended)), "expired"))
    let service = try server(identity("data4help", seconds: 60))
    #expect(isRejection(try refusal(service, client()), "expired"))
  }

  @Test("certificates whose time has not begun are refused")
  func early() throws {
    let future = try identity("gateway", now: 4_000_000_000, seconds: 60)
    #expect(isRejection(try refusal(server(), client(future)), "not yet valid"))
  }

  @Test("a plain request and a self-signed client are refused, and each refusal is reported")
  func plain() throws {
    let failures = Mutex<[TLSError]>([])
    let context = try server { error in failures.withLock { $0.append(error) } }
    let session = try TLSSession(context: context)
    var plaintext: [UInt8] = []
    let request = Array("GET /health HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    #expect(throws: TLSError.self) {
      try session.receive(request.span, appendingTo: &plaintext)
    }
    #expect(plaintext.isEmpty)
    let own = try SelfSignedCertificate(now: Self.start, days: 36_500).identity
    #expect(isRejection(try refusal(context, client(own)), "self-signed"))
    #expect(failures.withLock { $0.count } == 2)
  }

  @Test("during a rotation certificates of both authorities are accepted, afterwards of one")
  func rotation() throws {
    let next = try Self.makeAuthority("next")
    let both = next.identity.certificateChain + trusted
    let renewed = try identity("gateway", of: next)
    #expect(try refusal(server(trusting: both), client(trusting: both)) == nil)
    #expect(try refusal(server(trusting: both), client(renewed, trusting: both)) == nil)
    let service = try server(
      identity("data4help", of: next), trusting: next.identity.certificateChain)
    #expect(try refusal(service, client(renewed, trusting: both)) == nil)
    #expect(isRejection(try refusal(service, client(trusting: both)), "self-signed"))
  }

  @Test("a server without permitted callers is refused")
  func noNames() throws {
    #expect(throws: TLSError.self) {
      try TLSContext(
        server: try identity("data4help"), acceptingOnly: TLSPeers(signedBy: trusted, named: []))
    }
  }

  @Test("names with other characters are refused, and addresses are names")
  func orders() throws {
    for name in ["", "a,DNS:gateway", "a b", "é", "*", "a=b", String(repeating: "a", count: 254)] {
      #expect(CertificateOrder(name: name) == nil, "\(name)")
      #expect(CertificateOrder(name: "a", alternatives: [name]) == nil, "\(name)")
    }
    let order = try #require(
      CertificateOrder(
        name: "database", alternatives: ["10.91.3.11", "fd91::11", "db.example"],
        isClient: false))
    let context = try TLSContext(
      server: try authority.issue(order, now: Self.start, seconds: Self.century))
    for name in ["database", "10.91.3.11", "fd91::11", "db.example"] {
      let pair = try TLSPair(
        context, TLSContext(clientTrusting: .certificates(trusted)), serverName: name)
      try pair.exchange()
      #expect(pair.client.isHandshakeComplete, "\(name)")
    }
  }

  @Test("the facts of a certificate are read: its time, its authority and its name")
  func facts() throws {
    let chain = try identity("gateway", seconds: 60).certificateChain
    #expect(
      try CertificateFacts.validity(of: chain) == Self.start - 3600..<Self.start + 60)
    let other = try Self.makeAuthority("other").identity.certificateChain
    let shorter = try CertificateAuthority(named: "short", now: Self.start, days: 1)
    #expect(
      try CertificateFacts.lastEnd(of: shorter.identity.certificateChain)
        == Self.start + 86_400)
    #expect(
      try CertificateFacts.lastEnd(of: shorter.identity.certificateChain + other)
        == Self.start + 36_500 * 86_400)
    try CertificateFacts.verify(chain, by: other + trusted, for: "gateway")
    #expect(throws: TLSError.self) {
      try CertificateFacts.verify(chain, by: trusted, for: "data4help")
    }
    #expect(throws: TLSError.self) {
      try CertificateFacts.verify(chain, by: other, for: "gateway")
    }
    #expect(throws: TLSError.self) {
      try CertificateFacts.verify(Array("none".utf8), by: other, for: "gateway")
    }
  }
}
