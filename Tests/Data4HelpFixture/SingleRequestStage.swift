import Accounts
import Cryptography
import Data4Help
import Domain
import Emergencies
import EventLoop
import Foundation
import GroupStatistics
import HTTP
import HealthRecords
import InternalAPI
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import ServiceKit
import Sharing
import Support
import Synchronization
import Telephony
import Testing
import Time
import Web
import Webhooks

/// One replica of the service: single requests on real databases, with handlers called as the
/// router would call them and a manual clock.
package final class SingleRequestStage: Sendable {
  /// The two databases and the secrets that all replicas share.
  package struct Installation: Sendable {
    package let data: TestDatabase
    package let keys: TestDatabase
    package let masterKeys = MasterKeyRing.random()
    package var root = RootSecret.random()
    package var seasoningDays = 0
    package var payments = PaymentTerms.none
    package var noise = ReleaseNoise.silent
    package var personNoise = PersonNoise.silent
    package var log = Log.none
    /// The largest number of emergencies that a replica holds.
    package var copiesMax = OfflineEmergencies.countMax
    /// The timeout of queries for the types of a device and for the monitoring of a person: longer
    /// than a busy machine needs, except in tests about it.
    package var lookMax = Duration.seconds(60)
    /// The directory of aborts that no database has stored.
    package var aborts =
      FileManager.default.temporaryDirectory.path + "/aborts-\(UUID().uuidString)"
  }

  package let installation: Installation
  package let parts: TestParts
  /// Uses the connections reserved for emergencies.
  package let reserved: TestParts
  package let samples: SampleStore
  package let workers: SingleRequestWorkers
  package let clock: ManualClock
  package let groups: GroupRequests
  package let groupWorkers: GroupWorkers
  package let events: EventRoutes
  package let callbacks: LoopBound<CallbackDelivery>
  /// Delivers to third parties with an emergency as next event.
  package let hospitalCallbacks: LoopBound<CallbackDelivery>
  /// The timeout for storing while a person waits.
  package let storing = WaitingTime()
  package let sos: EmergencyComponents
  package let sosScheduler: LoopBound<EmergencyScheduler>
  package let sosFollower: LoopBound<MonitoringFollower>
  package let sosSilence: LoopBound<SilenceWatch>
  package let voice: RecordedVoice
  package let contactVoice: RecordedVoice
  package let sosOffline: LoopBound<OfflineScheduler>
  package let journal: AbortJournal
  package let push: LoopBound<PushWorker>
  private let poster: CallbackPoster
  private let table: [Route]

  /// The components of the service's main program, with calls that are recorded.
  private init(_ installation: Installation, loop: EventLoop) throws {
    self.installation = installation
    // 2026-11-18T12:00:00Z
    clock = ManualClock(Instant(microsecondsSince1970: 1_795_003_200_000_000))
    poster = try Self.localPoster()
    voice = RecordedVoice(on: loop)
    contactVoice = RecordedVoice(on: loop)
    journal = try AbortJournal(directory: installation.aborts)
    let components = Data4HelpLoop(
      loop,
      ProcessParts(
        try Self.settings(installation, storing), environment: clock.environment,
        log: installation.log,
        root: installation.root, masterKeys: installation.masterKeys,
        timeZones: TimeZones(standardName: "UTC", standard: .utc),
        passwords: try TestProcess.passwords.get(),
        counting: try BlockingPool(name: "groups", threads: 1, queueMax: 64), callbacks: poster,
        push: try Self.localSender(), payments: installation.payments,
        personNoise: installation.personNoise,
        noise: installation.noise, voices: EmergencyVoices(number: voice, contacts: contactVoice),
        journal: journal, fences: RevocationFences(), copiesMax: installation.copiesMax),
      databases: Self.databases(installation, on: loop),
      reserved: Self.databases(installation, readers: 1, on: loop),
      track4run: InternalClient(
        replicas: [], secret: InternalSecret(root: installation.root), on: loop))
    parts = TestParts(components.dependencies)
    reserved = TestParts(components.reserved)
    samples = components.samples
    workers = components.requestWorkers
    groups = components.groupRequests
    groupWorkers = components.groupWorkers
    events = components.events
    callbacks = components.callbackDelivery(isOfEmergencies: false)
    hospitalCallbacks = components.callbackDelivery(isOfEmergencies: true)
    sos = components.emergencies
    sosScheduler = LoopBound(sos.scheduler(), on: loop)
    sosFollower = LoopBound(sos.follower(), on: loop)
    sosOffline = LoopBound(sos.offlineScheduler(), on: loop)
    sosSilence = LoopBound(sos.silenceWatch(), on: loop)
    push = components.pushWorker
    table = components.routes
  }

  private static func databases(
    _ installation: Installation, readers: Int? = nil, on loop: EventLoop
  ) -> DatabasePair {
    func database(_ test: TestDatabase) -> Database {
      var settings = test.patientSettings(as: "data4help")
      if let readers { settings.readConnections = readers }
      return Database(settings, on: loop)
    }
    return DatabasePair(data: database(installation.data), keys: database(installation.keys))
  }

  private static func settings(
    _ installation: Installation, _ storing: WaitingTime
  ) throws -> LoopSettings {
    let authentication = try #require(
      AuthenticationSettings(
        publicURL: "https://trackme.test", sessionIdle: .seconds(60), sessionMax: .seconds(60)))
    return LoopSettings(
      authentication: authentication,
      emergencies: emergencySettings(storing, lookMax: installation.lookMax),
      answerWithinSeconds: 259_200, groupSeasoningDays: installation.seasoningDays)
  }

  /// The usual settings, with different database timeouts.
  private static func emergencySettings(_ storing: WaitingTime, lookMax: Duration)
    -> EmergencySettings
  {
    var settings = EmergencySettings.usual
    settings.storeMax = { storing.max }
    settings.advanceMax = .seconds(60)
    settings.answerMax = .seconds(60)
    settings.transactionMax = .seconds(60)
    settings.lookMax = lookMax
    return settings
  }

  /// Calls addresses of this machine. The test ends a hanging call; there is no timeout.
  private static func localPoster() throws -> CallbackPoster {
    try CallbackPoster(localSettings)
  }

  private static func localSender() throws -> PushSender {
    try PushSender(localSettings, key: .random(), contact: "mailto:trackme@example.com")
  }

  private static var localSettings: CallbackPoster.Settings {
    let local = [AddressRange("127.0.0.0/8")].compactMap(\.self)
    var settings = CallbackPoster.Settings(addresses: CallbackAddresses(allowed: local))
    (settings.connectMilliseconds, settings.callMilliseconds) = (60_000, 600_000)
    return settings
  }

  /// Runs `body` with a replica on its own loop, on new databases. With `rootOfNoise` people have
  /// individual noise. Without `log`, prints what the replicas logged if `body` throws.
  package static func with(
    seasoningDays: Int = 0, payments: PaymentTerms = .none, noise: ReleaseNoise = .silent,
    rootOfNoise: RootSecret? = nil, log: Log? = nil, copiesMax: Int = OfflineEmergencies.countMax,
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
        let recorder = LogRecorder()
        installation.log = log ?? Log(process: "test", sink: recorder.sink)
        installation.copiesMax = copiesMax
        installation.lookMax = lookMax
        defer { try? FileManager.default.removeItem(atPath: installation.aborts) }
        do { try await replica(of: installation, body) } catch {
          for line in recorder.lines { print(line) }
          throw error
        }
      }
    }
  }

  /// Runs `body` with another replica on the same databases.
  package static func replica(
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
        stage.parts.database.close()
        stage.parts.keysDatabase.close()
      }
      try await body(stage)
    }.value
  }

  /// Calls an endpoint; `json` is the body.
  package func call(
    _ endpoint: Endpoint, _ json: String = "", query: String = "", by account: AccountID,
    _ kind: AccountKind, fields: [(String, String)] = []
  ) async throws -> Reply {
    let (route, request) = try prepare(endpoint, json, query, account, kind, fields)
    return try await answer(of: route, to: request)
  }

  /// Calls an internal endpoint as Track4Run: a POST of `json`, or a GET without it.
  package func callInternally(
    _ path: String, _ json: String? = nil, query: String = "", fields: [(String, String)] = []
  ) async throws -> Reply {
    let (route, request) = try prepareInternally(path, json, query, fields)
    return try await answer(of: route, to: request)
  }

  private func answer(of route: Route, to request: Request) async throws -> Reply {
    try await here {
      let response: Response
      do throws(Problem) { response = try await route.handler(request) } catch {
        return Reply(error)
      }
      return try await Reply(response)
    }
  }

  /// Opens a stream of events and collects its output until `close`.
  ///
  /// The client disconnects when it would have to receive more than `bytesMax`.
  package func open(
    _ endpoint: Endpoint, by account: AccountID, _ kind: AccountKind, after: Int64? = nil,
    bytesMax: Int = .max, query: String = ""
  ) async throws -> CollectedStream {
    let fields = after.map { [("last-event-id", $0.description)] } ?? []
    let (route, request) = try prepare(endpoint, "", query, account, kind, fields)
    return try await collect(from: route, request, bytesMax: bytesMax)
  }

  /// Opens the stream of Track4Run, after a number.
  package func openInternally(after: Int64) async throws -> CollectedStream {
    let (route, request) = try prepareInternally(InternalPath.stream, nil, "since=\(after)", [])
    return try await collect(from: route, request, bytesMax: .max)
  }

  private func collect(
    from route: Route, _ request: Request, bytesMax: Int
  ) async throws -> CollectedStream {
    let loop = parts.loop
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
  package func here<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task(executorPreference: parts.loop) { try await work() }.value
  }
}

/// The timeout of the code under test: longer than a busy machine needs, until a test shortens it.
package final class WaitingTime: Sendable {
  private let time = Mutex(Duration.seconds(60))

  package var max: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}
