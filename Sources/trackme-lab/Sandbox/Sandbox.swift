import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit
import Time

/// Makes the town of the sandbox in a running installation, step by step. An interrupted town is
/// completed by the next call.
struct Sandbox {
  private let installation: Installation
  private let order: SandboxOrder
  private let loop: EventLoop
  private let gateways: [LocalGateway]
  private let begun: MonotonicInstant

  /// How long to wait until the services have counted the town for groups.
  private static let countedWithin = Duration.seconds(1200)
  /// Seconds between two looks at what is left to count.
  private static let lookEvery: Int64 = 3

  /// - Throws: `StartError` for an invalid port.
  init(
    _ installation: Installation, _ order: SandboxOrder, on loop: EventLoop
  ) throws(StartError) {
    self.installation = installation
    self.order = order
    self.loop = loop
    var gateways: [LocalGateway] = []
    for _ in 0..<SandboxUploads.connections {
      gateways.append(
        try LocalGateway(installation, on: loop, failure: "The sandbox can't continue"))
    }
    self.gateways = gateways
    begun = Environment.system.monotonicNow()
  }

  /// Closes the connections.
  func shutDown() { for gateway in gateways { gateway.shutDown() } }

  /// Makes or completes the town, and prints what a developer does next.
  ///
  /// - Throws: `StartError` if the system is not running, or for a refusal.
  func make() throws(StartError) {
    let services = SandboxServices(
      installation: installation, gateway: gateways[0], loop: loop)
    // Asked first: a town that exists needs the running system too.
    let documents = try loop.finish { () async throws(StartError) in
      try await services.documents()
    }
    let zone = try installation.settings.timeZone()
    let today = zone.day(of: Environment.system.now())
    let marker: SandboxMarker
    if let known = try SandboxMarker.read(installation.state) {
      guard known.agrees(with: order) || known.isComplete else {
        throw StartError(
          "A town of \(known.people) people, \(known.days) days and seed \(known.seed) was begun: "
            + "complete it with --people \(known.people) --days \(known.days) "
            + "--seed \(known.seed).")
      }
      if known.isComplete {
        if !order.isLive { say(try SandboxGreeting(installation, try known.town).again) }
        return
      }
      marker = known
    } else {
      marker = SandboxMarker(order, on: today)
    }
    try make(marker, in: zone, services, consentingTo: documents)
  }

  /// Uploads for some people until the end of the order.
  ///
  /// - Throws: `StartError` without a town, or if no person can upload.
  func live() throws(StartError) {
    guard let marker = try SandboxMarker.read(installation.state), marker.isComplete else {
      throw StartError("There is no town: `trackme-lab sandbox` makes one.")
    }
    let (zone, gateway, seconds) = (
      try installation.settings.timeZone(), gateways[0], order.liveSeconds
    )
    let town = try marker.town
    try loop.finish { () async throws(StartError) in
      try await SandboxLive(town, zone, gateway).run(for: seconds) { Terminal.say($0) }
    }
  }
}

// MARK: Steps

extension Sandbox {
  private func make(
    _ marker: SandboxMarker, in zone: TimeZoneRules, _ services: SandboxServices,
    consentingTo documents: [PublishedDocument]
  ) throws(StartError) {
    let town = try marker.town
    let run = try WeeklyRun(of: town)
    say("Making a town of \(marker.people) people with \(marker.days) days of life.")
    try marker.write(installation.state)
    let sessions = try loop.finish { () async throws(StartError) in
      let sessions = try await services.logIn()
      try await services.openHospital(sessions)
      return sessions
    }
    report("a company, a hospital on duty and a running club")
    let people = try SandboxPeople(town, installation)
    let company = try Self.email(SandboxParties.company)
    let areNew = try people.make(trusting: company, consentingTo: documents)
    report("\(town.citizens.count) people\(areNew ? "" : ", who exist already")")
    let tokens = try people.startSessions()
    let samples = try upload(town, in: zone, tokens)
    try makeRuns(run, of: town, in: zone, services, sessions, tokens)
    try people.endSessions()
    try waitForGroups(people)
    try tidy()
    let key = try loop.finish { () async throws(StartError) in
      let key = try await services.makeKey(sessions)
      try await services.logOut(sessions)
      return key
    }
    var complete = marker
    complete.isComplete = true
    try complete.write(installation.state)
    report("complete, \(samples) samples")
    say(try SandboxGreeting(installation, town).lines(key: key))
  }

  private func upload(
    _ town: Town, in zone: TimeZoneRules, _ tokens: [String]
  ) throws(StartError) -> Int {
    let uploads = SandboxUploads(
      town: town, zone: zone, tokens: tokens, gateways: gateways,
      now: Environment.system.now().flooredToMilliseconds)
    let begun = begun
    return try loop.finish { () async throws(StartError) in
      try await uploads.run { Self.report($0, since: begun) }
    }
  }

  private func makeRuns(
    _ run: WeeklyRun, of town: Town, in zone: TimeZoneRules, _ services: SandboxServices,
    _ sessions: SandboxServices.Sessions, _ tokens: [String]
  ) throws(StartError) {
    let club = try account(of: try Self.email(SandboxParties.club))
    let count = try SandboxPastRuns(run, in: zone, installation).make(by: club)
    report("\(count) weekly runs with results")
    let next = WeeklyRun.nextDay(after: zone.day(of: Environment.system.now()))
    let start = WeeklyRun.start(on: next, in: zone)
    let joined = try loop.finish { () async throws(StartError) in
      try await services.publish(run, from: start, of: town, sessions, tokens)
    }
    report("the next run on \(next), with \(joined) runners")
  }

  /// Waits until group requests see all days.
  private func waitForGroups(_ people: SandboxPeople) throws(StartError) {
    let end = Environment.system.monotonicNow() + Self.countedWithin
    let gateway = gateways[0]
    var shown = Environment.system.monotonicNow()
    while Environment.system.monotonicNow() < end {
      let left = try people.monthsToCount()
      if left == 0 { return report("group requests cover all days") }
      if Environment.system.monotonicNow() - shown > .seconds(10) {
        shown = Environment.system.monotonicNow()
        report(
          "the services prepare the town for group requests: "
            + "\(left) monthly summaries left, one for each person and month")
      }
      try loop.finish { () async throws(StartError) in
        await gateway.pause(.seconds(Self.lookEvery))
      }
    }
    report("group requests do not cover all days yet; the services continue to prepare them")
  }

  /// Lets queries use the new rows' statistics and index-only scans, and frees the room of day
  /// values that were counted again and again: thirty times that of the remaining ones.
  private func tidy() throws(StartError) {
    let url = try DatabaseURLs(installation).migrationURL(.trackme)
    do throws(AdminSessionError) {
      let session = try AdminSession(
        url: url.revealed, applicationName: "trackme-lab sandbox")
      try session.run("VACUUM (ANALYZE) data4help.accounts, data4help.chunks")
      try session.run("VACUUM (FULL, ANALYZE) data4help.day_columns, data4help.month_dirty")
    } catch {
      throw StartError(databaseUnavailable: error)
    }
  }
}

// MARK: Lines and accounts

extension Sandbox {
  private func account(of email: EmailAddress) throws(StartError) -> AccountID {
    let root = try installation.settings.rootSecret()
    let url = try DatabaseURLs(installation).url(.data4help, .trackme)
    let blind = AccountIndexes(root: root).value(of: email).bytes
    let rows: [[String?]]
    do throws(AdminSessionError) {
      rows = try AdminSession(url: url.revealed, applicationName: "trackme-lab sandbox").rows(
        "SELECT account_id FROM data4help.account_identifiers WHERE blind = $1::bytea",
        ["\\x" + Hexadecimal.encode(blind.span)])
    } catch {
      throw StartError(databaseUnavailable: error)
    }
    guard let number = rows.first?.first.flatMap({ $0 }).flatMap({ Int64($0) }) else {
      throw StartError("The account \(email.text) is missing.")
    }
    return AccountID(rawValue: number)
  }

  private static func email(_ account: SimulatedAccount) throws(StartError) -> EmailAddress {
    do throws(EmailAddressError) { return try EmailAddress(account.login.email) } catch {
      throw StartError(error.description)
    }
  }

  private func report(_ line: String) { Self.report(line, since: begun) }

  private static func report(_ line: String, since begun: MonotonicInstant) {
    let seconds = (Environment.system.monotonicNow() - begun).components.seconds
    Terminal.say("\(seconds) s: \(line)")
  }

  private func say(_ lines: [String]) { for line in lines { Terminal.say(line) } }

  private func say(_ line: String) { Terminal.say(line) }
}

extension EventLoop {
  /// Runs async work on this loop and blocks the calling thread until it has ended.
  func finish<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(StartError) -> Value
  ) throws(StartError) -> Value {
    let result = Pending<Result<Value, StartError>>()
    begin {
      do throws(StartError) { result.resolve(.success(try await work())) } catch {
        result.resolve(.failure(error))
      }
    }
    return try result.wait().get()
  }
}
