import Domain
import EventLoop
import HTTP
import Operations
import Time

/// Simulates a run from its creation to its results through the public API: a company creates it,
/// runners join and accept the check-in request, and their devices upload positions. On one loop.
final class RunSimulation {
  /// A simulated runner.
  struct Runner {
    /// The tokens of the session and of the device.
    let token: String
    let deviceToken: String
    let name: String
    let legs: SimulatedRunner
    var hasCheckedIn = false
    /// Whether its session was ended, as by the deletion of the account.
    var isLeftOut = false
    /// The second of the run up to which positions were uploaded.
    var uploaded: Int64 = 0

    /// Whether its check-in request has not been accepted yet.
    var awaitsCheckIn: Bool { !hasCheckedIn && !isLeftOut }
    /// Whether it takes part in the run.
    var isOnTheWay: Bool { hasCheckedIn && !isLeftOut }
  }

  /// The run as it was published.
  struct Published {
    let runID: Int
    let code: String
    let link: String
    let course: Course
    let start: Instant
    let end: Instant
  }

  let gateway: LocalGateway
  let say: (String) -> Void
  var runners: [Runner] = []
  /// Whether rejected uploads were already reported.
  var isOffline = false
  private let order: SimulateRunCommand.Order

  /// Seconds between the last runner's finish and the end of the run.
  private static let afterFinish: Int64 = 10
  /// How many positions are tried for a course that overlaps another one.
  private static let placesMax = 5

  /// A simulation that reports its progress to `say`.
  init(
    _ order: SimulateRunCommand.Order, _ gateway: LocalGateway, say: @escaping (String) -> Void
  ) {
    self.order = order
    self.gateway = gateway
    self.say = say
  }

  /// Runs the simulation up to the results.
  ///
  /// - Throws: `StartError` if a step is rejected.
  func run() async throws(StartError) {
    let points = try SimulatedCourse.points(of: order.file)
    _ = try SimulatedCourse.path(points, smaller: order.speedUp)
    for number in 0..<order.runners {
      runners.append(try await runner(number))
      if (number + 1) % 10 == 0 { say("\(number + 1) of \(order.runners) runners are ready") }
    }
    say("\(runners.count) runners are logged in, each with a device")
    let run = try await publish(points)
    say("run \(run.runID), code \(run.code), \(Int(run.course.length)) m")
    say("its page, with the results later: \(run.link)")
    say("live positions: GET /t4r/active/stream?runID=\(run.runID)")
    say("it starts at \(run.start) and ends at \(run.end)")
    try await join(run)
    try await checkIn(before: run.start)
    await wait(until: run.start)
    say("it has started")
    await follow(run)
    try await reportResults(of: run)
  }

  static var now: Instant { Environment.system.now().flooredToMilliseconds }

  /// Leaves out a runner whose session or device is no longer accepted.
  func leaveOut(_ index: Int) {
    runners[index].isLeftOut = true
    say("\(runners[index].name) was logged out, and is left out")
  }

  private func wait(until time: Instant) async {
    let left = time.millisecondsSince1970 - Self.now.millisecondsSince1970
    if left > 0 { await gateway.pause(.milliseconds(left)) }
  }
}

// MARK: People

extension RunSimulation {
  /// Registers a missing runner, logs in and pairs a device.
  private func runner(_ number: Int) async throws(StartError) -> Runner {
    let account = SimulatedPeople.runner(number)
    let token = try await gateway.logIn(account.login, registering: account.registration)
    return Runner(
      token: token, deviceToken: try await pairDevice(of: token), name: account.name,
      legs: SimulatedRunner(number: Int32(number)))
  }

  /// Pairs a device as a person would: the device shows a code, the person enters it. It replaces
  /// the device of an earlier simulation.
  private func pairDevice(of token: String) async throws(StartError) -> String {
    let begun = try await gateway.insist(
      .post, "/devices/pair/start", SimulationDocuments.device)
    guard let code = DemoJSON.text("code", in: begun),
      let pairing = DemoJSON.text("pairingID", in: begun),
      let secret = DemoJSON.text("pairingSecret", in: begun)
    else { throw StartError("Pairing a device returned no code.") }
    let devices = try await gateway.insist(.get, "/devices", token: token)
    let former = SimulationAnswers.devices(in: devices).first
    _ = try await gateway.insist(
      .post, "/devices/pair/confirm", SimulationDocuments.confirming(code, replacing: former),
      token: token)
    let finished = try await gateway.insist(
      .post, "/devices/pair/finish",
      DemoJSON.object([("pairingID", pairing), ("pairingSecret", secret)]))
    guard let deviceToken = DemoJSON.text("deviceToken", in: finished) else {
      throw StartError("Pairing a device returned no token.")
    }
    return deviceToken
  }
}

// MARK: Before the start

extension RunSimulation {
  /// Creates the run with the first club that may still create one today.
  private func publish(_ points: [GeoPoint]) async throws(StartError) -> Published {
    let length = Course(try SimulatedCourse.path(points, smaller: order.speedUp)).length
    let seconds = runners.map { $0.legs.seconds(toRun: length) }.max() ?? 0
    for number in 1...SimulatedPeople.organisersMax {
      let account = SimulatedPeople.organiser(number)
      let token = try await gateway.logIn(account.login, registering: account.registration)
      let start = Self.now.adding(seconds: order.lead)
      let end = start.adding(seconds: Int64(seconds) + Self.afterFinish)
      let terms = SimulationDocuments.terms(start, end, runners.count)
      let made = try await gateway.insist(.post, "/t4r/org/create", terms, token: token)
      guard let runID = SimulationAnswers.runID(in: made) else {
        throw StartError("The response has no run number.")
      }
      if let (code, course) = try await draw(points, for: runID, by: token) {
        let shown = try await gateway.insist(.get, "/t4r/run/\(code)")
        let link = DemoJSON.text("link", in: shown) ?? code
        return Published(
          runID: runID, code: code, link: link, course: course, start: start, end: end)
      }
      _ = try await gateway.call(
        .post, "/t4r/org/cancel", SimulationDocuments.named(runID), token: token)
    }
    throw StartError("Every simulated club has reached its limit of runs for today.")
  }

  /// Defines the path if it meets no other run of the day; nil if the club has reached its limit.
  private func draw(
    _ points: [GeoPoint], for runID: Int, by token: String
  ) async throws(StartError) -> (code: String, course: Course)? {
    for attempt in 0..<Self.placesMax {
      let path = try SimulatedCourse.path(
        points, smaller: order.speedUp, moved: attempt == 0 ? (0, 0) : Self.anywhere())
      let drawn = try await gateway.call(
        .post, "/t4r/org/path", SimulationDocuments.path(runID, path), token: token)
      switch drawn.head.status {
      case .ok:
        guard let code = DemoJSON.text("code", in: drawn.body) else { return nil }
        return (code, Course(path))
      case .conflict: return nil
      case .unauthorized: continue
      default: throw gateway.refusal("/t4r/org/path", drawn)
      }
    }
    throw StartError("No free course was found: other runs of today use this area.")
  }

  /// A random offset of up to a few kilometres, in degrees north and east.
  private static func anywhere() -> (latitude: Double, longitude: Double) {
    let bytes = Environment.system.randomBytes(2)
    return (Double(bytes[0]) / 5000, Double(bytes[1]) / 5000)
  }

  private func join(_ run: Published) async throws(StartError) {
    for (number, runner) in runners.enumerated() {
      // A runner without a position can't check in.
      let first = [SimulatedFix(position: run.course.position(at: 0), time: Self.now, rate: 62)]
      _ = try await gateway.insist(
        .post, "/data/upload", SimulationDocuments.upload(first), token: runner.deviceToken)
      // Every second runner shows the heart rate to spectators.
      let choice = SimulationDocuments.joining(run.runID, as: runner.name, number % 2 == 0)
      let answer = try await gateway.call(.post, "/t4r/active/join", choice, token: runner.token)
      if answer.head.status == .ok { continue }
      // An interrupted simulation may have left its runners in another run.
      try await leaveRuns(runner.token)
      _ = try await gateway.insist(.post, "/t4r/active/join", choice, token: runner.token)
    }
    say("all of them are enrolled")
  }

  private func leaveRuns(_ token: String) async throws(StartError) {
    let list = try await gateway.insist(.get, "/t4r/my/list", token: token)
    for runID in SimulationAnswers.runsNotOver(in: list) {
      _ = try await gateway.insist(
        .post, "/t4r/active/leave", SimulationDocuments.named(runID), token: token)
    }
  }

  /// Accepts the check-in requests as they arrive.
  private func checkIn(before start: Instant) async throws(StartError) {
    let path = "/req/single/list?limit=20"
    while runners.contains(where: \.awaitsCheckIn), Self.now < start {
      for index in runners.indices where runners[index].awaitsCheckIn {
        let token = runners[index].token
        let list = try await gateway.call(.get, path, token: token)
        switch list.head.status {
        case .ok: break
        case .unauthorized:
          leaveOut(index)
          continue
        default: throw gateway.refusal(path, list)
        }
        for request in SimulationAnswers.checkIns(in: list.body) {
          let choice = DemoJSON.object([("reqID", request), ("choice", "accept")])
          let answer = try await gateway.call(.post, "/req/single/choice", choice, token: token)
          if answer.head.status == .ok { runners[index].hasCheckedIn = true }
        }
      }
      if runners.contains(where: \.awaitsCheckIn) { await gateway.pause(.milliseconds(500)) }
    }
    say("\(runners.count { $0.isOnTheWay }) of \(runners.count) have checked in")
  }
}
