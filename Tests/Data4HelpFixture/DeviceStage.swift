import Cryptography
import Domain
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Testing
import Web

/// Devices and keys for the health data of a test.
extension HealthDataTest {
  /// An account with a session, by kind: 1 a single user, 2 a third party.
  package func newOwner(_ kind: Int = 1) async throws -> AccountID {
    let account = try await newAccount()
    try data.run(
      """
      UPDATE data4help.accounts
         SET kind = \(kind), state = 2,
             (birth_date, sex) = (\(kind == 1 ? "'1980-01-01', 'F'" : "NULL, NULL"))
       WHERE account_id = \(account);
      INSERT INTO data4help.sessions (
             token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
      VALUES (sha256('\(Self.sessionText(account))'), \(account), \(kind), now(), now(), now(),
              -\(account))
      """)
    return account
  }

  private static func sessionText(_ account: AccountID) -> String { "session of \(account)" }

  /// Calls an endpoint of devices or keys; anonymously without an account.
  package func devices(
    _ endpoint: Endpoint, _ body: String = "", as account: AccountID? = nil,
    _ bearer: Bearer = .login, _ parameters: [(name: String, value: String)] = [],
    from address: String? = nil
  ) async throws -> Reply {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var path = endpoint.path
    for (name, value) in parameters { path = path.replacing("{\(name)}", with: value) }
    var head = RequestHead(endpoint.method, path, authority: "test")
    head.fields.append(InternalField.secret.description, secret)
    if let address { head.fields.append(InternalField.client.description, address) }
    if let account {
      let isCompany = endpoint.path.hasPrefix("/auth/keys")
      head.fields.append(InternalField.account.description, account.description)
      head.fields.append(InternalField.kind.description, isCompany ? "tp" : "single")
      let session = TokenHash(
        digest: SHA256.digest(of: Self.sessionText(account).utf8Span.span))
      head.fields.append(InternalField.session.description, session.hexadecimal)
      if let value = bearer.fieldValue {
        head.fields.append(InternalField.bearer.description, value)
      }
    }
    let request = Request(
      head: head, pathParameters: PathParameters(parameters), body: .bytes(Array(body.utf8)))
    let response: Response
    do throws(Problem) { response = try await route.handler(request) } catch {
      return Reply(error)
    }
    return try await Reply(response)
  }

  package func start(_ types: String = #""heartRate","steps""#) async throws -> [String: Any] {
    try await devices(
      .startPairing, #"{"name":"Watch of Anna","model":"W1","types":[\#(types)]}"#
    ).object
  }

  package func confirm(
    _ code: Any?, as account: AccountID, _ more: String = ""
  ) async throws -> Reply {
    try await devices(
      .confirmPairing, #"{"code":"\#(code as? String ?? "")"\#(more)}"#, as: account)
  }

  /// Pairs a device; returns its number after checking the token's length.
  package func pair(_ account: AccountID, _ more: String = "") async throws -> String {
    let begun = try await start()
    _ = try await confirm(begun["code"], as: account, #","accept":true"# + more)
    let answer = try await finish(begun)
    return try #require(answer.object["deviceID"] as? String)
  }

  package func finish(_ begun: [String: Any]) async throws -> Reply {
    let (id, secret) = (begun["pairingID"] as? String, begun["pairingSecret"] as? String)
    return try await devices(
      .finishPairing, #"{"pairingID":"\#(id ?? "")","pairingSecret":"\#(secret ?? "")"}"#)
  }

  /// A code that belongs to no device.
  package func other(_ code: Any?) -> String {
    code as? String == "000000" ? "000001" : "000000"
  }
}
