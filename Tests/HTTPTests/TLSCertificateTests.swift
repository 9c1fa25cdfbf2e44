import HTTP
import Requirements
import Testing

@Suite("TLS certificates")
struct TLSCertificateTests {
  @Test(
    "a self-signed certificate is valid for localhost by name and by address", .tags(.GW_4),
    arguments: ["localhost", "127.0.0.1", "::1"])
  func names(name: String) throws {
    let pair = try TLSPair(serverName: name)
    try pair.exchange()
    #expect(pair.client.isHandshakeComplete && pair.server.isHandshakeComplete)
  }

  @Test("a certificate for another name is refused", arguments: ["example.org", "127.0.0.2"])
  func otherName(name: String) throws {
    let pair = try TLSPair(serverName: name)
    #expect { try pair.exchange() } throws: { Self.isRejection($0) }
  }

  @Test("an expired certificate is refused")
  func expired() throws {
    let identity = try TLSPair.certificate(now: 1_000_000_000, days: 397)
    let pair = try TLSPair(identity: identity)
    #expect(throws: TLSError.certificateRejected(reason: "certificate has expired")) {
      try pair.exchange()
    }
    var alert: [UInt8] = []
    pair.client.pullOutput(into: &alert)
    var plaintext: [UInt8] = []
    #expect { try pair.server.receive(alert.span, appendingTo: &plaintext) } throws: {
      if case .alertReceived? = $0 as? TLSError { return true }
      return false
    }
  }

  @Test("a certificate without a trusted issuer is refused")
  func unknownAuthority() throws {
    let pair = try TLSPair(trust: .system)
    #expect { try pair.exchange() } throws: { Self.isRejection($0) }
  }

  @Test("a chain that is not PEM is refused as certificateUnreadable")
  func garbageChain() throws {
    let identity = try TLSPair.certificate()
    let header = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    for chain in ["", "nonsense", header] {
      let garbage = TLSIdentity(
        certificateChain: Array(chain.utf8), privateKey: identity.privateKey)
      #expect { try TLSContext(server: garbage) } throws: {
        if case .certificateUnreadable? = $0 as? TLSError { return true }
        return false
      }
    }
    let second = TLSIdentity(
      certificateChain: identity.certificateChain + Array(header.utf8),
      privateKey: identity.privateKey)
    #expect(throws: TLSError.self) { try TLSContext(server: second) }
  }

  @Test("a chain of several certificates is sent completely")
  func chain() throws {
    let identity = try TLSPair.certificate()
    let other = try TLSPair.certificate()
    let chain = TLSIdentity(
      certificateChain: identity.certificateChain + other.certificateChain,
      privateKey: identity.privateKey)
    let pair = try TLSPair(identity: chain)
    try pair.exchange()
    #expect(pair.client.isHandshakeComplete)
  }

  @Test("a key that is not PEM is refused as keyUnreadable")
  func garbageKey() throws {
    let identity = try TLSPair.certificate()
    for key in [[], Array("nonsense".utf8), identity.certificateChain] {
      let garbage = TLSIdentity(certificateChain: identity.certificateChain, privateKey: key)
      #expect { try TLSContext(server: garbage) } throws: {
        if case .keyUnreadable? = $0 as? TLSError { return true }
        return false
      }
    }
  }

  @Test("a key of another certificate is refused as keyDoesNotMatchCertificate")
  func otherKey() throws {
    let identity = try TLSPair.certificate()
    let other = try TLSPair.certificate()
    let mixed = TLSIdentity(
      certificateChain: identity.certificateChain, privateKey: other.privateKey)
    #expect(throws: TLSError.keyDoesNotMatchCertificate) { try TLSContext(server: mixed) }
  }

  @Test("no description of an identity shows the key")
  func description() throws {
    let identity = try TLSPair.certificate()
    #expect(!"\(identity)".contains("PRIVATE"))
  }

  @Test("a client needs the name of the server it expects")
  func clientName() throws {
    let context = try TLSContext(clientTrusting: .system)
    #expect(throws: TLSError.self) { try TLSSession(context: context) }
  }

  private static func isRejection(_ error: any Error) -> Bool {
    if case .certificateRejected? = error as? TLSError { return true }
    return false
  }
}
