import EventLoop
import HTTP
import JSON
import Postgres
import Privacy

/// Runs effects in transactions, and those with an `Idempotency-Key` once in 24 hours.
///
/// The answer is stored in the transaction of the effect, so that a crash leaves both or neither.
/// Repeated with the same body it answers as the first time; with another body 422 `Key reused`;
/// while the first still runs 409.
package struct IdempotentEffects: Sendable {
  /// What a handler does inside the transaction.
  package typealias Effect = (Transaction<Problem>) async throws(Problem) -> Response

  /// Characters of a key at most.
  package static let keyLengthMax = 200
  /// How long an answer is kept.
  package static let keptFor = Duration.seconds(24 * 3600)

  private let database: Database
  private let keys: IdempotencyKeys
  private let world: World

  /// Effects on this database.
  package init(database: Database, root: RootSecret, world: World) {
    self.database = database
    self.keys = IdempotencyKeys(root: root)
    self.world = world
  }

  /// Runs `effect` in a transaction; once, if the request carries a key.
  package func run(
    _ request: Request, for account: Int64 = 0, _ effect: Effect
  ) async throws(Problem) -> Response {
    guard let clientKey = request.head.fields[.idempotencyKey] else {
      return try await database.transaction(effect)
    }
    guard (1...Self.keyLengthMax).contains(clientKey.utf8.count) else {
      throw .malformed("Idempotency-Key must have 1 to \(Self.keyLengthMax) characters.")
    }
    let key = keys.answer(
      account: account, path: Array(request.head.path).span, clientKey: clientKey.utf8.span)
    let name = key.name
    let now = world.now()
    return try await database.transaction { (transaction) throws(Problem) in
      let lock = LockKey(number: name.lockNumber)
      guard try await transaction.runOne(lock) == true else {
        throw .wrongState("The first request with this Idempotency-Key still runs.")
      }
      if let kept = try await transaction.runOne(
        KeptAnswer(name: name, after: now - Self.keptFor))
      {
        return try KeptResponse.open(kept, with: key, for: request)
      }
      let response = try await effect(transaction)
      let sealed = KeptResponse.seal(response, with: key, for: request)
      try await transaction.run(KeepAnswer(name: name, sealed: sealed, at: now))
      return response
    }
  }

  /// Forgets the answers that are older than `keptFor`.
  ///
  /// - Throws: 503 if the database is away.
  package func forgetOldAnswers() async throws(Problem) {
    _ = try await database.effect(ForgetAnswers(before: world.now() - Self.keptFor))
  }

  /// Every statement, for the check against the schema.
  package static let statements: [any Statement.Type] = [
    LockKey.self, KeptAnswer.self, KeepAnswer.self, ForgetAnswers.self,
  ]
}

extension IdempotencyName {
  /// A number for the advisory lock that one key takes.
  fileprivate var lockNumber: Int64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}

struct LockKey: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT pg_try_advisory_xact_lock(\(\.number))"
  let number: Int64
}

struct KeptAnswer: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT sealed_answer
      FROM idempotent_answers
     WHERE name = \(\.name)
       AND answered_at > \(\.after)
    """
  let name: IdempotencyName
  let after: WallTime
}

struct KeepAnswer: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO idempotent_answers (name, sealed_answer, answered_at)
    VALUES (\(\.name), \(\.sealed), \(\.at))
        ON CONFLICT (name) DO UPDATE
       SET sealed_answer = excluded.sealed_answer, answered_at = excluded.answered_at
    """
  let name: IdempotencyName
  let sealed: [UInt8]
  let at: WallTime
}

struct ForgetAnswers: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM idempotent_answers WHERE answered_at < \(\.before)
    """
  let before: WallTime
}
