import Domain
import Emergencies
import EventLoop
import HTTP
import Installation
import JSON
import Operations
import Postgres
import ServiceKit
import Time

/// The companies of the town and the next run, made through the gateway; only the hospital's
/// approval is the operator's.
struct SandboxServices: Sendable {
  let installation: Installation
  let gateway: LocalGateway
  let loop: EventLoop

  /// The sessions of the three companies.
  struct Sessions: Sendable {
    let company: String
    let hospital: String
    let club: String
  }

  /// The documents that registrations consent to.
  ///
  /// - Throws: `StartError` if the system is not running.
  func documents() async throws(StartError) -> [PublishedDocument] {
    try PublishedDocument.list(in: try await gateway.insist(.get, "/auth/documents"))
  }

  /// Registers the missing companies and logs in.
  ///
  /// - Throws: `StartError` for a refusal.
  func logIn() async throws(StartError) -> Sessions {
    var tokens: [String] = []
    for party in [SandboxParties.company, SandboxParties.hospital, SandboxParties.club] {
      tokens.append(try await gateway.logIn(party.login, registering: party.registration))
    }
    return Sessions(company: tokens[0], hospital: tokens[1], club: tokens[2])
  }

  /// Ends these sessions.
  ///
  /// - Throws: `StartError` for a refusal.
  func logOut(_ sessions: Sessions) async throws(StartError) {
    for token in [sessions.company, sessions.hospital, sessions.club] {
      _ = try await gateway.insist(.post, "/auth/logout", token: token)
    }
  }

  /// A new API key of the company.
  ///
  /// - Throws: `StartError` for a refusal, such as the twenty-first key.
  func makeKey(_ sessions: Sessions) async throws(StartError) -> String {
    let answer = try await gateway.insist(
      .post, "/auth/keys", DemoJSON.object([("name", "sandbox")]), token: sessions.company)
    guard let key = DemoJSON.text("key", in: answer) else {
      throw StartError("The answer of /auth/keys has no key.")
    }
    return key
  }
}

// MARK: Hospital

extension SandboxServices {
  /// Approves the hospital and puts it on duty.
  ///
  /// - Throws: `StartError` for a refusal.
  func openHospital(_ sessions: Sessions) async throws(StartError) {
    let url = try DatabaseURLs(installation).url(.data4help, .trackme)
    let root = try installation.settings.rootSecret()
    let email: EmailAddress
    do throws(EmailAddressError) {
      email = try EmailAddress(SandboxParties.hospital.login.email)
    } catch { throw StartError(error.description) }
    let database = Database(
      DatabaseSettings(url: url.revealed, applicationName: "trackme-lab sandbox"), on: loop)
    defer { database.close() }
    do throws(ApplicationError) {
      let approval = HospitalApproval(database: database, root: root)
      guard try await approval.set(true, for: email) else { throw .notFound }
    } catch {
      throw StartError(error.cause ?? "The hospital can't be approved.")
    }
    var writer = JSONWriter()
    writer.object {
      $0.field("onDuty", true)
      $0.field("coordinate", SandboxParties.hospitalPosition)
    }
    _ = try await gateway.insist(.post, "/sos/duty", writer.bytes, token: sessions.hospital)
  }
}

// MARK: The next run

extension SandboxServices {
  /// How many runners of the town join the next run.
  private static let joiningMax = 40

  /// Publishes the next run unless the club has one ahead, and enrols some runners; returns the
  /// number of runners that joined.
  ///
  /// - Throws: `StartError` for a refusal.
  func publish(
    _ run: WeeklyRun, from start: Instant, of town: Town, _ sessions: Sessions,
    _ tokens: [String]
  ) async throws(StartError) -> Int {
    let ahead = try await gateway.insist(.get, "/t4r/org/list?when=future", token: sessions.club)
    guard SimulationAnswers.runsNotOver(in: ahead).isEmpty else { return 0 }
    let made = try await gateway.insist(
      .post, "/t4r/org/create", Self.terms(from: start), token: sessions.club)
    guard let runID = SimulationAnswers.runID(in: made) else {
      throw StartError("The answer of /t4r/org/create has no run.")
    }
    _ = try await gateway.insist(
      .post, "/t4r/org/path", SimulationDocuments.path(runID, run.path), token: sessions.club)
    var joined = 0
    for citizen in town.citizens.filter(\.isRunner).prefix(Self.joiningMax) {
      let choice = SimulationDocuments.joining(runID, as: citizen.givenName, false)
      let answer = try await gateway.call(
        .post, "/t4r/active/join", choice, token: tokens[citizen.number])
      if answer.head.status == .ok { joined += 1 }
    }
    return joined
  }

  private static func terms(from start: Instant) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("runName", WeeklyRun.name)
      $0.field("description", "Every Sunday at nine, along the Adda and back.")
      $0.field("place", TownPlace.lodi.name)
      $0.field("startTime", start.description)
      $0.field("endTime", start.adding(seconds: WeeklyRun.seconds).description)
      $0.field("participants", WeeklyRun.participantsMax)
    }
    return writer.bytes
  }
}
