import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Time
import Web

/// Runs effects in transactions; those with an `Idempotency-Key` once in 24 hours.
///
/// The response is stored in the transaction of the effect, so that a crash leaves both or neither.
/// A repetition with the same body gets the first response, with a different body `keyReused`, and
/// during the first call `conflict`.
package struct IdempotentEffects: Sendable {
  /// The part of a handler that runs inside the transaction.
  package typealias Effect = (Transaction<ApplicationError>) async throws(ApplicationError) ->
    Response

  /// The maximum length of a key in characters.
  package static let keyLengthMax = 200
  /// The time for which a response is kept.
  package static let keptFor = Duration.seconds(24 * 3600)

  private let database: Database
  private let keys: IdempotencyKeys
  private let environment: Environment

  /// Effects on this database.
  package init(database: Database, root: RootSecret, environment: Environment) {
    self.database = database
    self.keys = IdempotencyKeys(root: root)
    self.environment = environment
  }

  /// Runs `effect` in a transaction; once only if the request has a key. `account` is nil without a
  /// login.
  package func run(
    _ request: Request, for account: AccountID? = nil, _ effect: Effect
  ) async throws(ApplicationError) -> Response {
    guard let claim = try claim(of: request, for: account) else {
      return try await database.transaction(effect)
    }
    let body = SHA256.digest(of: request.body.bytes.span)
    return try await database.transaction { (transaction) throws(ApplicationError) in
      try await claim.lock(in: transaction)
      if let kept = try await claim.kept(in: transaction) { return try kept.answer(to: body) }
      let response = try await effect(transaction)
      try await claim.keep(response, to: body, in: transaction)
      return response
    }
  }

  /// The response kept for a repeated request; check it before expensive work that a repetition
  /// does not need. `run` checks again, since a response may be stored meanwhile.
  ///
  /// - Throws: as `run`.
  package func kept(
    for request: Request, of account: AccountID? = nil
  ) async throws(ApplicationError) -> Response? {
    guard let claim = try claim(of: request, for: account),
      let kept = claim.opened(try await database.row(claim.lookup))
    else { return nil }
    return try kept.answer(to: SHA256.digest(of: request.body.bytes.span))
  }

  /// The claim of the request's key, for an effect that is not one transaction; nil without a key.
  ///
  /// - Throws: `invalid` for a key of the wrong length.
  package func claim(
    of request: Request, for account: AccountID? = nil
  ) throws(ApplicationError) -> IdempotencyClaim? {
    guard let clientKey = request.head.fields[.idempotencyKey] else { return nil }
    guard (1...Self.keyLengthMax).contains(clientKey.utf8.count) else {
      throw .invalid("Idempotency-Key must have 1 to \(Self.keyLengthMax) characters.")
    }
    let key = keys.answer(
      account: account?.rawValue, path: Array(request.head.path).span,
      clientKey: clientKey.utf8.span)
    return IdempotencyClaim(key: key, of: account, at: environment.now())
  }

  /// Deletes the responses that are older than `keptFor`.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func forgetOldAnswers() async throws(ApplicationError) {
    _ = try await database.effect(ForgetAnswers(before: environment.now() - Self.keptFor))
  }

  /// Every statement, for the check against the schema.
  package static let statements: [any Statement.Type] = [
    LockKey.self, FindAnswer.self, KeepAnswer.self, ForgetAnswers.self,
    ForgetAnswersOfAccount.self,
  ]
}

struct LockKey: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT pg_try_advisory_xact_lock(\(\.number))"
  let number: Int64
}

struct FindAnswer: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT sealed_answer
      FROM idempotent_answers
     WHERE name = \(\.name)
       AND answered_at > \(\.after)
    """
  let name: IdempotencyName
  let after: Instant
}

struct KeepAnswer: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO idempotent_answers (name, sealed_answer, answered_at, account_id)
    VALUES (\(\.name), \(\.sealed), \(\.at), \(\.account))
        ON CONFLICT (name) DO UPDATE
       SET sealed_answer = excluded.sealed_answer, answered_at = excluded.answered_at
    """
  let name: IdempotencyName
  let sealed: [UInt8]
  let at: Instant
  let account: AccountID?
}

/// Deletes the responses of an account, by the index on it.
package struct ForgetAnswersOfAccount: Statement {
  /// Run in the transaction that deletes the account.
  package static let sql: SQL<Self> = """
    DELETE FROM idempotent_answers WHERE account_id = \(\.account)
    """
  let account: AccountID

  /// Deletes the responses of this account.
  package init(account: AccountID) { self.account = account }
}

struct ForgetAnswers: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM idempotent_answers WHERE answered_at < \(\.before)
    """
  let before: Instant
}
