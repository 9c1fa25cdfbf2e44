import HTTP
import Testing

/// A TLS client and a TLS server connected in memory.
final class TLSPair {
  let client: TLSSession
  let server: TLSSession
  var clientReceived: [UInt8] = []
  var serverReceived: [UInt8] = []
  /// All bytes sent by the server, to inspect the records.
  var wire: [UInt8] = []
  private var toServer: [UInt8] = []
  private var toClient: [UInt8] = []

  /// Creates a certificate; OpenSSL compares its validity with the system's clock.
  static func certificate(now: Int64 = 1_700_000_000, days: Int64 = 36_500) throws -> TLSIdentity {
    try SelfSignedCertificate(now: now, days: days).identity
  }

  init(
    serverProtocols: [ApplicationProtocol] = [.http2, .http1],
    clientProtocols: [ApplicationProtocol] = [.http2, .http1],
    serverVersions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
    clientVersions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
    identity: TLSIdentity? = nil, trust: TLSTrust? = nil, serverName: String = "localhost"
  ) throws {
    let identity = try identity ?? TLSPair.certificate()
    let serverContext = try TLSContext(
      server: identity, protocols: serverProtocols, versions: serverVersions)
    let clientContext = try TLSContext(
      clientTrusting: trust ?? .certificates(identity.certificateChain),
      protocols: clientProtocols, versions: clientVersions)
    server = try TLSSession(context: serverContext)
    client = try TLSSession(context: clientContext, serverName: serverName)
  }

  /// Connects two contexts; the client expects a server of this name.
  init(_ serverContext: TLSContext, _ clientContext: TLSContext, serverName: String) throws {
    server = try TLSSession(context: serverContext)
    client = try TLSSession(context: clientContext, serverName: serverName)
  }

  /// Exchanges the output of both sides until none is left, in chunks of random sizes.
  func exchange(using numbers: inout some RandomNumberGenerator) throws {
    while true {
      client.pullOutput(into: &toServer)
      let before = toClient.count
      server.pullOutput(into: &toClient)
      wire += toClient[before...]
      if toServer.isEmpty, toClient.isEmpty { return }
      try move(&toServer, to: server, &serverReceived, using: &numbers)
      try move(&toClient, to: client, &clientReceived, using: &numbers)
    }
  }

  /// Exchanges the output of both sides until none is left, without splitting it.
  func exchange() throws {
    var whole = WholeChunks()
    try exchange(using: &whole)
  }

  private func move(
    _ bytes: inout [UInt8], to session: TLSSession, _ received: inout [UInt8],
    using numbers: inout some RandomNumberGenerator
  ) throws {
    guard !bytes.isEmpty else { return }
    let count = Int.random(in: 1...bytes.count, using: &numbers)
    let chunk = Array(bytes[..<count])
    bytes.removeFirst(count)
    try session.receive(chunk.span, appendingTo: &received)
  }
}
