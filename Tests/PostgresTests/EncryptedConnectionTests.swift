import EventLoop
import HTTP
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing
import Time

private struct Encrypted: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
}

@Suite("Encrypted connections to PostgreSQL", .tags(.NFR_5, .OPS_3))
struct EncryptedConnectionTests {
  /// A server with a certificate for its address, which accepts only TLS over TCP.
  private struct Server: Sendable {
    /// Only this test uses this address.
    static let host = "127.0.0.77"
    let cluster: TestCluster
    let port: UInt16
    /// The files of its authority and of another one.
    let trusted: String
    let other: String

    init() throws {
      cluster = try TestCluster()
      let now = Instant.system.microsecondsSince1970 / 1_000_000
      let authority = try CertificateAuthority(named: "inner", now: now, days: 1)
      let order = try #require(
        CertificateOrder(name: "database", alternatives: [Self.host], isClient: false))
      let identity = try authority.issue(order, now: now, seconds: 3600)
      let directory = cluster.directory
      let owner = try FileSystem.owner(of: directory)
      func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = "\(directory)/\(name)"
        try FileSystem.writeAtomically(path, bytes, owner: owner.user == 0 ? nil : owner)
        return path
      }
      trusted = try write("authority.pem", authority.identity.certificateChain)
      other = try write(
        "other.pem",
        CertificateAuthority(named: "other", now: now, days: 1).identity.certificateChain)
      let certificate = try write("certificate.pem", identity.certificateChain)
      let key = try write("key.pem", identity.privateKey)
      _ = try write(
        "data/pg_hba.conf",
        Array("local all all trust\nhostssl all all 127.0.0.0/8 trust\n".utf8))
      port = try LoopbackListener(host: 77, isListening: false) { _ in }.port
      try cluster.stop("fast")
      try cluster.start(
        with: "-c listen_addresses=\(Self.host) -c port=\(port) -c ssl=on "
          + "-c ssl_cert_file=\(certificate) -c ssl_key_file=\(key) "
          + "-c ssl_min_protocol_version=TLSv1.3")
    }

    /// The URL of the server under a name, its address or another one.
    func url(_ mode: String, _ authority: String, host: String = Self.host) -> String {
      "postgresql://postgres@\(host):\(port)/postgres?hostaddr=\(Self.host)"
        + "&sslmode=\(mode)&sslrootcert=\(authority)"
    }

    /// Why a connection fails; nil if it is encrypted.
    func refusal(_ url: String) -> String? {
      do throws(AdminSessionError) {
        // A busy machine needs longer than an operator waits.
        let session = try AdminSession(url: url, applicationName: "tls", connectMax: 60)
        let rows = try session.rows(
          "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        return rows == [["true"]] ? nil : "the connection is plain"
      } catch {
        return error.description
      }
    }
  }

  @Test("verify-full accepts the right server alone, and the server no plain connection")
  func verification() async throws {
    let server = try await onThread { try Server() }
    let refusals = try await onThread {
      [
        server.refusal(server.url("verify-full", server.trusted)),
        server.refusal(server.url("verify-full", server.other)),
        server.refusal(server.url("verify-full", server.trusted, host: "localhost")),
        server.refusal(server.url("disable", server.trusted)),
      ]
    }
    #expect(refusals[0] == nil)
    #expect(try #require(refusals[1]).contains("certificate verify failed"))
    #expect(try #require(refusals[2]).contains("does not match host name"))
    #expect(try #require(refusals[3]).contains("no encryption"))

    // The connections of the services.
    let loop = try EventLoop.start(name: "tls")
    let isEncrypted = try await Task(executorPreference: loop) {
      var settings = TestDatabase.settings(url: server.url("verify-full", server.trusted))
      settings.connectMax = .seconds(60)
      let database = Database(settings, on: loop)
      defer { database.close() }
      return try await database.read(Encrypted())
    }.value
    #expect(isEncrypted == [true])
    loop.stop()
    try await onThread { try server.cluster.stop("immediate") }
  }
}
