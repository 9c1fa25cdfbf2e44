import Cryptography
import Domain
import HTTP
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing
import Time
import Web

@Suite("Effects with an Idempotency-Key")
struct IdempotentEffectsTests {
  private func request(_ key: String?, body: String = "{}") -> Request {
    var head = RequestHead(.post, "/data/upload", authority: "test")
    if let key { head.fields.append(.idempotencyKey, key) }
    return Request(head: head, body: .bytes(Array(body.utf8)))
  }

  /// Counts one effect and answers its number.
  private struct Count: Statement {
    typealias Row = Int64
    static let sql: SQL<Self> = """
      INSERT INTO counted DEFAULT VALUES RETURNING number
      """
  }

  private func stage(
    _ body: @escaping @Sendable (IdempotentEffects, Database, ManualClock) async throws -> Void
  ) async throws {
    try await TestDatabase.with { test in
      try test.run(
        """
        CREATE TABLE data4help.counted (number bigint GENERATED ALWAYS AS IDENTITY);
        GRANT SELECT, INSERT ON data4help.counted TO data4help;
        """)
      try await test.onLoop(as: "data4help") { database in
        let clock = ManualClock(Instant(microsecondsSince1970: 1_780_000_000_000_000))
        let effects = IdempotentEffects(
          database: database, root: .random(), environment: clock.environment)
        try await body(effects, database, clock)
      }
    }
  }

  private func count(
    _ effects: IdempotentEffects, _ request: Request, for account: AccountID = .seven
  ) async throws(ApplicationError) -> String {
    let response = try await effects.run(request, for: account) {
      (transaction) throws(ApplicationError) in
      let number = try await transaction.runOne(Count()) ?? 0
      return .json(Array("\(number)".utf8))
    }
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a repetition returns the first answer and has no effect", .tags(.NFR_4))
  func repetition() async throws {
    try await stage { effects, _, _ in
      let first = try await count(effects, request("a"))
      let second = try await count(effects, request("a"))
      let other = try await count(effects, request("b"))
      let withoutKey = try await count(effects, request(nil))
      #expect([first, second, other, withoutKey] == ["1", "1", "2", "3"])
    }
  }

  @Test("a repetition answers with the same status, fields and bytes", .tags(.NFR_4))
  func wholeAnswer() async throws {
    try await stage { effects, _, _ in
      var first = Response(.created, contentType: "text/plain", bytes: [0, 1, 0xFF])
      first.fields.append("location", "/there")
      first.fields.append("retry-after", "7")
      for attempt in [first, .message("done a second time")] {
        let answered = try await effects.run(request("a"), for: .seven) {
          (_) throws(ApplicationError) in
          attempt
        }
        guard case .bytes(let bytes) = answered.body else { throw ApplicationError.internalError }
        #expect(bytes == [0, 1, 0xFF])
        #expect((answered.status, answered.fields) == (first.status, first.fields))
      }
    }
  }

  @Test("a streamed answer can't be stored, and the operation has no effect")
  func streamed() async throws {
    try await stage { effects, _, _ in
      let refused = await #expect(throws: ApplicationError.self) {
        _ = try await effects.run(request("a"), for: .seven) {
          (transaction) throws(ApplicationError) in
          _ = try await transaction.runOne(Count())
          return .stream(contentType: "text/plain") { _ in }
        }
      }
      #expect(refused?.reason == .internalError)
    }
  }

  @Test("a stored answer is found before the operation, for the same body only")
  func looked() async throws {
    try await stage { effects, _, _ in
      #expect(try await effects.kept(for: request("a"), of: .seven) == nil)
      _ = try await count(effects, request("a"))
      #expect(try await effects.kept(for: request("a"), of: .seven) != nil)
      #expect(try await effects.kept(for: request(nil), of: .seven) == nil)
      let refused = await #expect(throws: ApplicationError.self) {
        _ = try await effects.kept(for: request("a", body: "[]"), of: .seven)
      }
      #expect(refused == .keyReused)
    }
  }

  @Test("the same key of another account is another key")
  func accounts() async throws {
    try await stage { effects, _, _ in
      let first = try await count(effects, request("a"), for: .seven)
      let second = try await count(effects, request("a"), for: AccountID(rawValue: 8))
      #expect([first, second] == ["1", "2"])
    }
  }

  @Test("another body under the same key is 422 Key reused")
  func otherBody() async throws {
    try await stage { effects, _, _ in
      _ = try await count(effects, request("a"))
      let refused = await #expect(throws: ApplicationError.self) {
        _ = try await count(effects, request("a", body: "[]"))
      }
      #expect(refused == .keyReused)
    }
  }

  @Test("while the first is still running, the second is 409 with a time to wait")
  func concurrent() async throws {
    try await stage { effects, _, _ in
      let refused = try await effects.run(request("a"), for: .seven) {
        (transaction) throws(ApplicationError) in
        _ = try await transaction.runOne(Count())
        do throws(ApplicationError) {
          _ = try await count(effects, request("a"))
          return .json(Array("taken twice".utf8))
        } catch {
          return .json(Array("\(error.reason.rawValue), \(error.retryAfter ?? 0) s".utf8))
        }
      }
      guard case .bytes(let bytes) = refused.body else { return }
      #expect(String(decoding: bytes, as: UTF8.self) == "wrong state, 1 s")
    }
  }

  @Test("a failed effect stores no answer, so a repetition executes it", .tags(.NFR_4))
  func failure() async throws {
    try await stage { effects, _, _ in
      await #expect(throws: ApplicationError.notFound) {
        _ = try await effects.run(request("a"), for: .seven) {
          (transaction) throws(ApplicationError) in
          _ = try await transaction.runOne(Count())
          throw .notFound
        }
      }
      // The rolled-back number stays unused in the sequence.
      let again = try await count(effects, request("a"))
      #expect(again == "2")
    }
  }

  @Test("after a day the key is free again, and its answer deleted")
  func forgotten() async throws {
    struct Kept: Statement {
      typealias Row = Int64
      static let sql: SQL<Self> = "SELECT count(*) FROM idempotent_answers"
    }
    try await stage { effects, database, clock in
      _ = try await count(effects, request("a"))
      clock.advance(by: .seconds(24 * 3600 - 1))
      let within = try await count(effects, request("a"))
      clock.advance(by: .seconds(2))
      let after = try await count(effects, request("a"))
      #expect([within, after] == ["1", "2"])
      clock.advance(by: .seconds(24 * 3600 + 1))
      try await effects.forgetOldAnswers()
      let kept = try await database.readOne(Kept())
      #expect(kept == 0)
    }
  }

  @Test(
    "a key over 200 characters is refused",
    arguments: [(length: 200, isTaken: true), (length: 201, isTaken: false)])
  func length(length: Int, isTaken: Bool) async throws {
    try await stage { effects, _, _ in
      let request = request(String(repeating: "k", count: length))
      do throws(ApplicationError) {
        _ = try await count(effects, request)
        #expect(isTaken)
      } catch {
        #expect(!isTaken && error.reason == .invalid)
      }
    }
  }

  @Test("the statements agree with the schema of both services")
  func statements() async throws {
    try await TestDatabase.with { test in
      for role in ["data4help", "track4run"] {
        let problems = try StatementCheck.problems(
          of: IdempotentEffects.statements, at: test.url(as: role))
        #expect(problems.isEmpty)
      }
    }
  }
}

extension AccountID {
  fileprivate static let seven = AccountID(rawValue: 7)
}
