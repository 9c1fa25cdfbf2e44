import Data4Help
import Delivery
import Domain
import EventLoop
import Foundation
import HTTP
import Operations
import Postgres
import PostgresFixture
import Privacy
import PublicAPI
import Services
import Synchronization
import Testing

/// Accounts on real databases, with handlers called as the router would call them, a manual clock
/// and a mailbox in place of a mail server.
final class AuthenticationStage: Sendable {
  let surroundings: Surroundings
  let settings: AuthenticationSettings
  let clock: HandClock
  let mailbox: Mailbox
  let logged: LogRecorder
  let passwords: PasswordPool
  let data: TestDatabase
  let keys: TestDatabase
  private let table: [Route]

  private init(
    loop: EventLoop, data: TestDatabase, keys: TestDatabase, passwordCost: PasswordHashCost
  ) throws {
    let clock = HandClock()
    var world = World.system
    world.now = { clock.now }
    let logged = LogRecorder()
    let database = Database(data.patientSettings(as: "data4help"), on: loop)
    let keysDatabase = Database(keys.patientSettings(as: "data4help"), on: loop)
    surroundings = Surroundings(
      loop: loop, world: world, database: database, keysDatabase: keysDatabase,
      masterKeys: .random(), root: .random(),
      timeZones: TimeZones(standardName: "UTC", standard: .utc),
      log: Log(process: "test", level: .debug, sink: logged.sink))
    settings = try #require(
      AuthenticationSettings(
        publicURL: "https://trackme.example:8443", sessionIdle: .seconds(86_400),
        sessionMax: .seconds(2_592_000)))
    passwords = try PasswordPool(cores: 2, hasher: PasswordHasher(cost: passwordCost))
    let authentication = AuthenticationRoutes(
      surroundings: surroundings, settings: settings, passwords: passwords)
    table =
      authentication.routes + SingleUserRoutes(authentication).all
      + ThirdPartyRoutes(authentication).all + ConsentRoutes(surroundings).all
      + DeletionRoutes(authentication).all
      + LookupRoutes(surroundings, directory: AccountDirectory(surroundings)).all
    self.clock = clock
    self.logged = logged
    self.data = data
    self.keys = keys
    mailbox = Mailbox()
  }

  /// A cost that is negligible for a test.
  static let cheap = PasswordHashCost(memoryKiB: 64, passes: 1, lanes: 1) ?? .standard

  /// Runs `body` on a loop, beside the workers of a process.
  static func with(
    passwordCost: PasswordHashCost = cheap,
    _ body: @escaping @Sendable (AuthenticationStage) async throws -> Void
  ) async throws {
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        let loop = try EventLoop.start(name: "accounts")
        defer { loop.stop() }
        try await Task(executorPreference: loop) {
          let stage = try AuthenticationStage(
            loop: loop, data: data, keys: keys, passwordCost: passwordCost)
          let workers = AuthenticationWorkers(
            surroundings: stage.surroundings, settings: stage.settings, transport: stage.mailbox,
            mailStopMax: .seconds(60))
          workers.start()
          let outcome: Result<Void, any Error>
          do { outcome = .success(try await body(stage)) } catch { outcome = .failure(error) }
          await workers.stop()
          stage.surroundings.database.close()
          try outcome.get()
        }.value
      }
    }
  }

  /// Advances the clock after every mail was recorded as sent: a mail whose lease expired before
  /// would be sent again.
  func advance(by duration: Duration) async throws {
    func unsent() throws -> String? {
      try data.cell("SELECT count(*) FROM data4help.mails WHERE sent_at IS NULL")
    }
    let end = ContinuousClock.now + .seconds(60)
    while try unsent() != "0", ContinuousClock.now < end {
      try await surroundings.loop.wait(for: .milliseconds(20))
    }
    #expect(try unsent() == "0")
    clock.advance(by: duration)
  }

  /// Calls an endpoint; `json` is the body, `fields` what the gateway would add.
  func call(
    _ endpoint: Endpoint, _ json: String = "", query: String = "",
    by identity: Identity? = nil, fields: [(String, String)] = [], method: HTTPMethod? = nil
  ) async throws -> Reply {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var head = RequestHead(
      method: method ?? endpoint.method, target: Array((endpoint.path + "?" + query).utf8))
    InternalSecret(root: surroundings.root).withHeaderValue {
      head.fields.append("x-trackme-secret", String(copying: $0))
    }
    if let identity {
      head.fields.append("x-trackme-account", identity.account.description)
      head.fields.append("x-trackme-kind", identity.kind.rawValue)
      head.fields.append("x-trackme-session", identity.session.hexadecimal)
    }
    for (name, value) in fields { head.fields.append(name, value) }
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]),
      body: .bytes(Array(json.utf8)))
    do throws(Problem) {
      return Reply(try await route.handler(request))
    } catch {
      return Reply(error)
    }
  }

  /// The caller with this token, as the gateway would determine it.
  func identity(of token: String) throws -> Identity {
    let genuine = try TokenAuthority(root: surroundings.root).verify(token.utf8.span)
    let found = try data.cell(
      """
      SELECT account_id || ' ' || kind
        FROM data4help.sessions WHERE token_hash = decode($1, 'hex')
      """, genuine.hash.hexadecimal)
    let parts = try #require(found).split(separator: " ")
    return Identity(
      account: AccountID(rawValue: try #require(Int64(parts[0]))),
      kind: parts[1] == "1" ? .singleUser : .thirdParty, session: genuine.hash)
  }
}

/// A reply as the client sees it.
struct Reply: Sendable {
  let status: Int
  let body: String
  let fields: HTTPFields
  let problem: Problem?

  init(_ response: Response) {
    status = Int(response.status.code)
    fields = response.fields
    problem = nil
    if case .bytes(let bytes) = response.body {
      body = String(decoding: bytes, as: UTF8.self)
    } else {
      body = ""
    }
  }

  init(_ problem: Problem) {
    status = Int(problem.status.code)
    body = ""
    fields = problem.fields
    self.problem = problem
  }

  /// A field of the JSON answer, or `error` and `field` of the problem.
  subscript(_ name: String) -> String? {
    if let problem {
      return name == "error" ? problem.error : name == "field" ? problem.field : nil
    }
    let object = try? JSONSerialization.jsonObject(with: Data(body.utf8))
    return (object as? [String: Any])?[name] as? String
  }
}

/// A manual civil clock.
final class HandClock: Sendable {
  private let time = Mutex(WallTime(microsecondsSince1970: 1_795_000_000_000_000))

  var now: WallTime { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// Accepts every mail, and passes it to waiting callers.
final class Mailbox: MailTransport {
  private struct State {
    var mails: [MailMessage] = []
    var taken = 0
    var waiter: CheckedContinuation<MailMessage, Never>?
  }

  private let state = Mutex(State())

  func send(_ mail: MailMessage) async throws(MailError) {
    state.withLock { state in
      state.mails.append(mail)
      guard let waiter = state.waiter else { return }
      state.waiter = nil
      state.taken += 1
      waiter.resume(returning: mail)
    }
  }

  /// All mails so far.
  var all: [MailMessage] { state.withLock { $0.mails } }

  /// Waits for the next mail that was not returned yet.
  func next() async -> MailMessage {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        guard state.taken < state.mails.count else { return state.waiter = continuation }
        state.taken += 1
        continuation.resume(returning: state.mails[state.taken - 1])
      }
    }
  }

  /// Skips the mails received so far.
  func skip() { state.withLock { $0.taken = $0.mails.count } }

  /// The activation token of the next mail.
  func nextToken() async throws -> String {
    let text = await next().text
    return String(try #require(text.firstMatch(of: /activToken=(\S+)/)).1)
  }
}

extension TestDatabase {
  /// The only cell returned by a query, as text.
  func cell(_ query: StaticString, _ values: String...) throws -> String? {
    try session().rows(query, values).first?.first.flatMap { $0 }
  }
}
