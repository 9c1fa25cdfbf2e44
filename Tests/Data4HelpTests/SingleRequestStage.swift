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

/// One replica of the service: single requests on real databases, with handlers called as the
/// router would call them and a manual clock.
final class SingleRequestStage: Sendable {
  /// The two databases and the secrets that all replicas share.
  struct Installation: Sendable {
    let data: TestDatabase
    let keys: TestDatabase
    let masterKeys = MasterKeyRing.random()
    var root = RootSecret.random()
    var seasoningDays = 0
    var payments = PaymentTerms.none
    var noise = ReleaseNoise.silent
    var personNoise = PersonNoise.silent
    var log = Log.none
    /// The largest number of emergencies that a replica holds.
    var heldMax = HeldEmergencies.countMax
    /// The timeout of queries for the types of a device and for the monitoring of a person: longer
    /// than a busy machine needs, except in tests about it.
    var lookMax = Duration.seconds(60)
    /// The directory of aborts that no database has stored.
    var aborts = FileManager.default.temporaryDirectory.path + "/aborts-\(UUID().uuidString)"
  }

  let installation: Installation
  let surroundings: Surroundings
  /// Uses the connections reserved for emergencies.
  let reserved: Surroundings
  let samples: SampleStore
  let workers: SingleRequestWorkers
  let clock: SingleRequestClock
  let groups: GroupRequests
  let groupWorkers: GroupWorkers
  let events: EventRoutes
  let callbacks: LoopBound<CallbackDelivery>
  /// Delivers to third parties with an emergency as next event.
  let hospitalCallbacks: LoopBound<CallbackDelivery>
  /// The timeout for storing while a person waits.
  let storing = WaitingTime()
  let sos: Emergencies
  let sosClock: LoopBound<EmergencyClock>
  let sosFollower: LoopBound<MonitoringFollower>
  let sosSilence: LoopBound<SilenceWatch>
  let voice: RecordedVoice
  let contactVoice: RecordedVoice
  let sosAlone: LoopBound<AloneClock>
  let journal: AbortJournal
  private let poster: CallbackPoster
  private let table: [Route]

  private init(_ installation: Installation, loop: EventLoop) throws {
    self.installation = installation
    let clock = SingleRequestClock()
    self.clock = clock
    var world = World.system
    world.now = { clock.now }
    surroundings = Surroundings(
      loop: loop, world: world, database: Database(Self.settings(installation.data), on: loop),
      keysDatabase: Database(Self.settings(installation.keys), on: loop),
      masterKeys: installation.masterKeys, root: installation.root,
      timeZones: TimeZones(standardName: "UTC", standard: .utc),
      log: installation.log)
    func few(_ database: TestDatabase) -> DatabaseSettings {
      var few = Self.settings(database)
      few.readConnections = 1
      return few
    }
    reserved = surroundings.over(
      Database(few(installation.data), on: loop), keys: Database(few(installation.keys), on: loop))
    samples = SampleStore(surroundings)
    workers = SingleRequestWorkers(surroundings)
    groups = GroupRequests(
      surroundings, threads: try BlockingPool(name: "groups", threads: 1, queueMax: 64),
      seasoningDays: installation.seasoningDays, personNoise: installation.personNoise,
      noise: installation.noise)
    groupWorkers = GroupWorkers(surroundings, groups)
    let herald = AlarmHerald()
    events = EventRoutes(
      surroundings, reserved: reserved, .usual, samples: samples, herald: herald)
    poster = try Self.localPoster()
    let mails = try Self.settings("https://trackme.example")
    callbacks = LoopBound(
      CallbackDelivery(
        surroundings, .usual, samples: samples, poster: poster, settings: mails), on: loop)
    hospitalCallbacks = LoopBound(
      CallbackDelivery(
        reserved, .usual, isOfEmergencies: true, samples: SampleStore(reserved), poster: poster,
        settings: mails), on: loop)
    let directory = AccountDirectory(surroundings)
    voice = RecordedVoice(on: loop)
    contactVoice = RecordedVoice(on: loop)
    let patience = Self.patience(storing, lookMax: installation.lookMax)
    journal = try AbortJournal(directory: installation.aborts)
    sos = Emergencies(
      surroundings, reserved: reserved, patience, Monitoring(patience),
      HeldEmergencies(countMax: installation.heldMax), herald,
      mailing: mails, voice: voice, contactVoice: contactVoice, poster: poster, journal: journal)
    sosClock = LoopBound(sos.clock(), on: loop)
    sosFollower = LoopBound(sos.follower(), on: loop)
    sosAlone = LoopBound(sos.aloneClock(), on: loop)
    sosSilence = LoopBound(sos.silenceWatch(), on: loop)
    table =
      SingleRequestRoutes(
        surroundings, directory: directory, samples: samples, groups: groups,
        answerWithinSeconds: 259_200, settings: try Self.settings("https://trackme.test"),
        payments: installation.payments
      ).all + AccessRoutes(surroundings, directory: directory).all
      + CollectionRoutes(surroundings, samples: samples).routes
      + ComparisonRoutes(surroundings, groups: groups).all
      + events.all + NoticeRoutes(surroundings).all
      + PreconfirmedRoutes(surroundings, directory: directory).all
      + CallbackRoutes(surroundings, poster: poster, settings: mails).all + sos.routes
      + HealthDataRoutes(surroundings, samples: samples, watch: sos.watch).routes
      + InternalRoutes(surroundings, directory: directory, settings: mails).all
      + events.track4runRoutes
  }

  private static func settings(_ database: TestDatabase) -> DatabaseSettings {
    database.patientSettings(as: "data4help")
  }

  /// The usual settings, with other timeouts of the database.
  private static func patience(_ storing: WaitingTime, lookMax: Duration) -> EmergencySettings {
    var settings = EmergencySettings.usual
    settings.storeMax = { storing.max }
    settings.moveMax = .seconds(60)
    settings.answerMax = .seconds(60)
    settings.lookMax = lookMax
    return settings
  }

  /// Calls addresses of this machine. The test ends a hanging call; there is no timeout.
  private static func localPoster() throws -> CallbackPoster {
    let local = [AddressRange("127.0.0.0/8")].compactMap(\.self)
    var settings = CallbackPoster.Settings(addresses: CallbackAddresses(allowed: local))
    (settings.connectMilliseconds, settings.callMilliseconds) = (60_000, 600_000)
    return try CallbackPoster(settings)
  }

  private static func settings(_ publicURL: String) throws -> AuthenticationSettings {
    try #require(
      AuthenticationSettings(
        publicURL: publicURL, sessionIdle: .seconds(60), sessionMax: .seconds(60)))
  }

  /// Runs `body` with a replica on its own loop, on new databases. With `rootOfNoise` people have
  /// individual noise.
  static func with(
    seasoningDays: Int = 0, payments: PaymentTerms = .none, noise: ReleaseNoise = .silent,
    rootOfNoise: RootSecret? = nil, log: Log = .none, heldMax: Int = HeldEmergencies.countMax,
    lookMax: Duration = .seconds(60),
    _ body: @escaping @Sendable (SingleRequestStage) async throws -> Void
  ) async throws {
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        var installation = Installation(data: data, keys: keys)
        installation.seasoningDays = seasoningDays
        installation.payments = payments
        installation.noise = noise
        if let rootOfNoise {
          installation.root = rootOfNoise
          installation.personNoise = PersonNoise(root: rootOfNoise)
        }
        installation.log = log
        installation.heldMax = heldMax
        installation.lookMax = lookMax
        defer { try? FileManager.default.removeItem(atPath: installation.aborts) }
        try await replica(of: installation, body)
      }
    }
  }

  /// Runs `body` with another replica on the same databases.
  static func replica(
    of installation: Installation,
    _ body: @escaping @Sendable (SingleRequestStage) async throws -> Void
  ) async throws {
    let loop = try EventLoop.start(name: "requests")
    defer { loop.stop() }
    try await Task(executorPreference: loop) {
      let stage = try SingleRequestStage(installation, loop: loop)
      defer {
        stage.poster.stop()
        stage.journal.close()
        stage.reserved.database.close()
        stage.reserved.keysDatabase.close()
        stage.surroundings.database.close()
        stage.surroundings.keysDatabase.close()
      }
      try await body(stage)
    }.value
  }

  /// Calls an endpoint; `json` is the body.
  func call(
    _ endpoint: Endpoint, _ json: String = "", query: String = "", by account: AccountID,
    _ kind: AccountKind, fields: [(String, String)] = []
  ) async throws -> SingleRequestReply {
    let (route, request) = try prepare(endpoint, json, query, account, kind, fields)
    return try await answer(of: route, to: request)
  }

  /// Calls an internal endpoint as Track4Run: a POST of `json`, or a GET without it.
  func callInternally(
    _ path: String, _ json: String? = nil, query: String = "", fields: [(String, String)] = []
  ) async throws -> SingleRequestReply {
    let (route, request) = try prepareInternally(path, json, query, fields)
    return try await answer(of: route, to: request)
  }

  private func answer(of route: Route, to request: Request) async throws -> SingleRequestReply {
    try await here {
      let response: Response
      do throws(Problem) { response = try await route.handler(request) } catch {
        return SingleRequestReply(error)
      }
      return try await SingleRequestReply(response)
    }
  }

  /// Opens a stream of events and collects its output until `close`.
  ///
  /// The client disconnects when it would have to receive more than `bytesMax`.
  func open(
    _ endpoint: Endpoint, by account: AccountID, _ kind: AccountKind, after: Int64? = nil,
    bytesMax: Int = .max, query: String = ""
  ) async throws -> CollectedStream {
    let fields = after.map { [("last-event-id", $0.description)] } ?? []
    let (route, request) = try prepare(endpoint, "", query, account, kind, fields)
    return try await collect(from: route, request, bytesMax: bytesMax)
  }

  /// Opens the stream of Track4Run, after a number.
  func openInternally(after: Int64) async throws -> CollectedStream {
    let (route, request) = try prepareInternally(InternalPath.stream, nil, "since=\(after)", [])
    return try await collect(from: route, request, bytesMax: .max)
  }

  private func collect(
    from route: Route, _ request: Request, bytesMax: Int
  ) async throws -> CollectedStream {
    let loop = surroundings.loop
    return try await here {
      let response = try await route.handler(request)
      guard case .stream(let write) = response.body else { throw CollectedStream.NoStream() }
      return CollectedStream(BodyWriter(bytesMax: bytesMax), write, on: loop)
    }
  }

  private func prepare(
    _ endpoint: Endpoint, _ json: String, _ query: String, _ account: AccountID,
    _ kind: AccountKind, _ fields: [(String, String)]
  ) throws -> (Route, Request) {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var head = RequestHead(
      method: endpoint.method, target: Array((endpoint.path + "?" + query).utf8))
    InternalSecret(root: installation.root).withHeaderValue {
      head.fields.append(name: InternalField.secret.description.utf8Span.span, value: $0)
    }
    head.fields.append("x-trackme-account", account.description)
    head.fields.append("x-trackme-kind", kind.rawValue)
    let session = TokenHash(digest: SHA256.digest(of: "token".utf8Span.span))
    head.fields.append("x-trackme-session", session.hexadecimal)
    for (name, value) in fields { head.fields.append(name, value) }
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]),
      body: .bytes(Array(json.utf8)))
    return (route, request)
  }

  private func prepareInternally(
    _ path: String, _ json: String?, _ query: String, _ fields: [(String, String)]
  ) throws -> (Route, Request) {
    let method = json == nil ? HTTPMethod.get : .post
    let route = try #require(table.first { $0.method == method && $0.pattern == path })
    var head = RequestHead(method: method, target: Array((path + "?" + query).utf8))
    for (name, value) in fields { head.fields.append(name, value) }
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]),
      body: .bytes(Array((json ?? "").utf8)))
    return (route, request)
  }

  /// Runs `work` on this replica's loop, from any task.
  func here<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task(executorPreference: surroundings.loop) { try await work() }.value
  }
}

/// A clock that changes only when set, from 2026-11-18T12:00:00Z on.
final class SingleRequestClock: Sendable {
  private let microseconds = Mutex<Int64>(1_795_003_200_000_000)

  var now: WallTime { WallTime(microsecondsSince1970: microseconds.withLock { $0 }) }

  /// The current time as a domain value.
  var timestamp: Timestamp { now.timestamp }

  func advance(seconds: Int64) { microseconds.withLock { $0 += seconds * 1_000_000 } }

  func advance(milliseconds: Int64) { microseconds.withLock { $0 += milliseconds * 1_000 } }
}

/// The timeout of the code under test: longer than a busy machine needs, until a test shortens it.
final class WaitingTime: Sendable {
  private let time = Mutex(Duration.seconds(60))

  var max: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// The parsed answer of a handler.
struct SingleRequestReply: Sendable {
  let status: Int
  let fields: HTTPFields
  let text: String
  let problem: Problem?
  /// Whether a streamed body was cut off.
  private(set) var isCut = false

  init(_ response: Response) async throws {
    status = Int(response.status.code)
    fields = response.fields
    problem = nil
    switch response.body {
    case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
    case .stream(let write):
      let writer = BodyWriter()
      do { try await write(writer) } catch { isCut = true }
      text = String(decoding: writer.collected, as: UTF8.self)
    }
  }

  init(_ problem: Problem) {
    status = Int(problem.status.code)
    fields = problem.fields
    self.problem = problem
    text = String(decoding: problem.document(requestID: nil), as: UTF8.self)
  }

  /// The JSON object.
  var object: [String: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    return value as? [String: Any] ?? [:]
  }

  /// A text field.
  subscript(name: String) -> String? { object[name] as? String }

  /// The cursor of the next page, which must exist.
  var next: String {
    get throws { try #require(self["next"]) }
  }

  /// An array of objects.
  func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }

  /// The numbers of a page of samples.
  var numbers: [Int] { list("samples").compactMap { $0["seq"] as? Int } }
}
