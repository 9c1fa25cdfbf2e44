import Accounts
import Cryptography
import Data4Help
import Domain
import Emergencies
import EventLoop
import Foundation
import HTTP
import Mail
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import ServiceKit
import Support
import Synchronization
import Testing
import Time
import Web

/// Accounts on real databases, with handlers called as the router would call them, a manual clock
/// and a mailbox in place of a mail server.
package final class AuthenticationStage: Sendable {
  package let parts: TestParts
  private let components: Data4HelpLoop
  package let settings: AuthenticationSettings
  package let clock: ManualClock
  package let mailbox: Mailbox
  package let logged: LogRecorder
  package let passwords: PasswordPool
  package let data: TestDatabase
  package let keys: TestDatabase
  private let table: [Route]

  private init(
    loop: EventLoop, data: TestDatabase, keys: TestDatabase, passwordCost: PasswordHashCost
  ) throws {
    let clock = ManualClock(Instant(microsecondsSince1970: 1_795_000_000_000_000))
    let logged = LogRecorder()
    settings = try #require(
      AuthenticationSettings(
        publicURL: "https://trackme.example:8443", sessionIdle: .seconds(86_400),
        sessionMax: .seconds(2_592_000)))
    passwords = try PasswordPool(cores: 2, hasher: PasswordHasher(cost: passwordCost))
    components = try TestProcess.components(
      on: loop,
      DatabasePair(
        data: Database(data.patientSettings(as: "data4help"), on: loop),
        keys: Database(keys.patientSettings(as: "data4help"), on: loop)),
      settings: LoopSettings(
        authentication: settings, emergencies: .usual, answerWithinSeconds: 259_200,
        groupSeasoningDays: 0),
      clock: clock, log: Log(process: "test", level: .debug, sink: logged.sink),
      passwords: passwords)
    parts = TestParts(components.dependencies)
    table = components.routes
    self.clock = clock
    self.logged = logged
    self.data = data
    self.keys = keys
    mailbox = Mailbox()
  }

  /// A cost that is negligible for a test.
  package static let cheap = PasswordHashCost(memoryKiB: 64, passes: 1, lanes: 1) ?? .standard

  /// Runs `body` on a loop, beside the workers of a process.
  package static func with(
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
          let workers = stage.components.accountWorkers(
            mail: stage.mailbox, mailStopMax: .seconds(60))
          workers.start()
          let outcome: Result<Void, any Error>
          do { outcome = .success(try await body(stage)) } catch { outcome = .failure(error) }
          await workers.stop()
          stage.parts.database.close()
          try outcome.get()
        }.value
      }
    }
  }

  /// Advances the clock after every mail was recorded as sent: a mail whose lease expired before
  /// would be sent again.
  package func advance(by duration: Duration) async throws {
    try await eventually("the record of every mail as sent") {
      try data.cell("SELECT count(*) FROM data4help.mails WHERE sent_at IS NULL") == "0"
    }
    clock.advance(by: duration)
  }

  /// Calls an endpoint; `json` is the body, `fields` what the gateway would add.
  package func call(
    _ endpoint: Endpoint, _ json: String = "", query: String = "",
    by identity: Identity? = nil, fields: [(String, String)] = [], method: HTTPMethod? = nil
  ) async throws -> Reply {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var head = RequestHead(
      method: method ?? endpoint.method, target: Array((endpoint.path + "?" + query).utf8))
    InternalSecret(root: parts.root).withHeaderValue {
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
    let response: Response
    do throws(Problem) { response = try await route.handler(request) } catch {
      return Reply(error)
    }
    return try await Reply(response)
  }

  /// The caller with this token, as the gateway would determine it.
  package func identity(of token: String) throws -> Identity {
    let genuine = try TokenAuthority(root: parts.root).verify(token.utf8.span)
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

/// Accepts every mail, and returns each once.
package final class Mailbox: MailTransport {
  private struct State {
    var mails: [MailMessage] = []
    var taken = 0
  }

  private let state = Mutex(State())

  /// An empty mailbox.
  package init() {}

  package func send(_ mail: MailMessage) async throws(MailError) {
    state.withLock { $0.mails.append(mail) }
  }

  /// All mails so far.
  package var all: [MailMessage] { state.withLock { $0.mails } }

  /// Waits for the next mail that has not been returned yet.
  package func next() async throws -> MailMessage {
    try await eventually("the next mail", within: .seconds(120), every: .milliseconds(5)) {
      state.withLock { state in
        guard state.taken < state.mails.count else { return nil }
        state.taken += 1
        return state.mails[state.taken - 1]
      }
    }
  }

  /// Skips the mails received so far.
  package func skip() { state.withLock { $0.taken = $0.mails.count } }

  /// The activation token of the next mail.
  package func nextToken() async throws -> String {
    let text = try await next().text
    return String(try #require(text.firstMatch(of: /activToken=(\S+)/)).1)
  }
}

extension SingleRequestStage {
  /// The mails queued since the last call.
  package func sentMails() async throws -> [MailMessage] {
    let mailbox = Mailbox()
    let parts = parts
    try await here {
      let worker = MailWorker(
        queue: parts.mailQueue, database: parts.database, transport: mailbox,
        environment: parts.environment, log: .none)
      try await worker.sendDue()
    }
    return mailbox.all
  }
}
