import Bytes
import Cryptography
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Keys for the API calls of a third party's own programs (ACC-10): named, shown once, revocable.
///
/// A key is a token like any other: its authentication code keeps forged keys from reaching the
/// database, its hash is stored among the sessions, and the gateways follow its revocation.
package struct ProgramKeyRoutes: Sendable {
  /// The maximum number of keys of an account.
  package static let keysMax = 20

  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let tokens: TokenAuthority
  private let security: SecurityNotices

  /// Routes over the accounts of this database; `security` notifies the account of a new key.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys, root: RootSecret,
    security: SecurityNotices
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.security = security
    tokens = TokenAuthority(root: root)
  }

  /// The rows of the route table.
  package var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.createKey, create),
      routes.identified(.listKeys, list),
      routes.identified(.revokeKey, revoke),
    ]
  }

  /// Creates a key; only this response shows it.
  ///
  /// - Throws: `invalid` for the name, `conflict` for the twenty-first key, `unauthenticated` if
  ///   the session has ended meanwhile, `unavailable`.
  @Sendable private func create(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let name = try request.payload(CreateKeyBody.self).name
    let now = environment.now()
    let (token, id) = (tokens.issue(.apiKey), UniversalID.random())
    let sealingKey = try await accountKeys.key(of: caller.account)
    let insert = InsertProgramKey(
      account: caller.account, key: id,
      sealedName: sealingKey.seal(name, for: Self.seal(caller.account, id)), token: token.hash,
      at: now)
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await transaction.lockAccount(of: caller)
      let count = try await transaction.runOne(CountProgramKeys(account: caller.account))
      guard count ?? 0 < Int64(Self.keysMax) else {
        throw .conflict("An account has at most \(Self.keysMax) keys: delete one first.")
      }
      try await transaction.run(insert)
      try await security.add(.keyCreated(name: name), to: caller.account, in: transaction)
      try await transaction.commit(
        StartToken(
          token: token.hash, account: caller.account, kind: .thirdParty, bearer: .program,
          device: nil, at: now))
    }
    security.announce()
    return Response.json {
      $0.field("keyID", id.description)
      $0.field("key", token.text)
    }.notStored()
  }

  @Sendable private func list(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(ProgramKeys(account: caller.account))
    let sealingKey = try await accountKeys.key(of: caller.account)
    var entries: [(row: ProgramKeys.Row, name: String)] = []
    for row in rows {
      let name = try mapStorageError { () throws(CryptographyError) in
        try sealingKey.openText(row.sealedName.span, for: Self.seal(caller.account, row.key))
      }
      entries.append((row, name))
    }
    return .json { writer in
      writer.array("keys") { writer in
        for (row, name) in entries { row.write(name, to: &writer) }
      }
    }
  }

  /// Revokes a key; the gateways refuse it within a second.
  ///
  /// - Throws: `notFound` for one that is unknown or another account's, `unavailable`.
  @Sendable private func revoke(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let id = request.pathParameters["keyID"].flatMap({ UniversalID($0) }) else {
      throw .notFound
    }
    let now = environment.now()
    try await database.transaction { (transaction) throws(ApplicationError) in
      let token = try await transaction.runOne(
        DeleteProgramKey(account: caller.account, key: id))
      guard let token else { throw .notFound }
      try await transaction.commit(EndSession(token: token, at: now))
    }
    return .message("Action successful")
  }

  private static func seal(_ account: AccountID, _ key: UniversalID) -> SealContext {
    SealContext(
      table: "program_keys", column: "sealed_name",
      row: SealRow(
        account.rawValue, Int64(bitPattern: key.high), Int64(bitPattern: key.low)))
  }
}

extension ProgramKeys.Row {
  fileprivate func write(_ name: String, to writer: inout JSONWriter) {
    writer.object {
      $0.field("keyID", key.description)
      $0.field("name", name)
      $0.field("createdAt", createdAt.description)
      let isUsed = lastUsedAt > createdAt
      $0.field("lastUsedAt", isUsed ? lastUsedAt.description : nil)
    }
  }
}
