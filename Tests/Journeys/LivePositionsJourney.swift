import Foundation
import Requirements
import Support
import Testing

@Suite("Live positions, from a runner's device to spectators")
struct LivePositionsJourney {
  /// A run that is about to begin, with its checked-in runners.
  private struct Stage {
    let system: TestSystem
    let organiser: ThirdParty
    let runID: Int
    let runners: [SingleUser]
    /// The latitude of the road, which runs eastwards.
    let latitude: Double

    /// A position on the road at this distance from the start in metres.
    func place(_ metres: Double) -> JSONValue { .text("\(latitude),\(9.19 + metres / 78_000)") }

    func document() -> JSONValue { ["runID": .number(Double(runID))] }

    /// The public view of the run.
    func update() async throws -> JSONValue {
      let reply = try await organiser.client.post("/t4r/active/specUpdate", document())
      #expect(reply.outcome == .ok, "\(reply.text)")
      return reply.json
    }

    /// The public view of a runner.
    func runner(_ number: Int) async throws -> JSONValue? {
      try await update().runners.items.first { $0["number"].int == number }
    }

    func watch() throws -> EventReader {
      try EventReader("/t4r/active/stream?runID=\(runID)", nil, of: system)
    }

    /// Uploads a runner's current position; returns the time of the response.
    func run(_ number: Int, to metres: Double) async throws -> Double {
      try await runners[number - 1].upload("position", [(Self.now(), place(metres))])
      return Date().timeIntervalSince1970
    }

    static func now() -> String {
      Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
  }

  /// A run that begins soon and lasts these seconds, with checked-in runners.
  private static func stage(
    on system: TestSystem, lasting seconds: Double = 3_600, runners count: Int,
    choice: JSONValue = [:]
  ) async throws -> Stage {
    let began = ContinuousClock.now
    let organiser = try await system.thirdParty()
    var runners: [SingleUser] = []
    for _ in 0..<count { runners.append(try await system.singleUser()) }
    for runner in runners {
      try await runner.upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
      try await runner.upload("heartRate", [(RelativeTimes.after(-60), 61)])
    }
    let runID = try await organiser.createRun(RunOfTest.terms())
    let path = RunOfTest.path()
    _ = try await organiser.draw(path, for: runID)
    let coordinate = (path[0].coordinate.text ?? "").split(separator: ",")
    let latitude = try #require(coordinate.first.flatMap { Double($0) })
    for runner in runners { #expect(try await runner.join(runID, choice).outcome == .ok) }
    try await organiser.startSoon(runID, lasting: seconds, with: runners, preparedSince: began)
    return Stage(
      system: system, organiser: organiser, runID: runID, runners: runners, latitude: latitude)
  }

  // One live run, seen by runners, organiser and spectators: creating it takes half a minute.
  @Test(
    "an uploaded position is on the stream and in polling responses within two seconds",
    .tags(.R52, .RUN_5, .RUN_6, .RUN_8, .RUN_12), .timeLimit(.minutes(5)))
  func uploaded() async throws {
    let system = try await TestSystem.shared()
    let stage = try await Self.stage(on: system, runners: 2)
    let stream = try stage.watch()
    defer { stream.stop() }
    _ = try await eventually("the start with both runners", within: .seconds(120)) {
      try await stage.update().runners.count == 2 ? true : nil
    }
    _ = try await stage.run(2, to: 5)
    // The result must not depend on a busy machine: the median of a round counts, and one good
    // round of three is sufficient; `make bench` measures all of them.
    var reached = 0.0
    var middle = Double.infinity
    for _ in 0..<3 where middle >= 2 {
      middle = try await Self.middleDelay(of: stage, stream, from: reached)
      reached += Self.roundMetres
    }
    #expect(middle < 2)
    let placings = try await stage.organiser.client.get(
      "/t4r/active/placings?runID=\(stage.runID)")
    #expect(placings.json.placings.items.map(\.["number"]) == [1, 2])
    #expect(placings.json.placings.items.map(\.place) == [1, 2])

    // Health data is visible to the organiser only.
    try await stage.runners[0].upload("heartRate", [(Stage.now(), 142)])
    let own = try await eventually("the heart rate") {
      let reply = try await stage.organiser.get("/t4r/org/live?runID=\(stage.runID)")
      return reply.json.runners.items.first { $0.heartRate == 142 }
    }
    #expect(own["number"] == 1)
    #expect(try await stage.runner(1)?.heartRate.isNull == true)

    // A paused runner continues, visible to the organiser only.
    let pause = stage.document().merging(["paused": true])
    #expect(try await stage.runners[0].post("/t4r/my/pause", pause).outcome == .ok)
    let hidden = try await eventually("the pause") {
      let runner = try await stage.runner(1)
      return runner?.status == "paused" ? runner : nil
    }
    #expect((hidden.coordinate.isNull, hidden.distance.isNull) == (true, true))
    let hiddenAt = reached + 14
    _ = try await stage.run(1, to: hiddenAt)
    _ = try await eventually("the organiser's view") {
      let reply = try await stage.organiser.get("/t4r/org/live?runID=\(stage.runID)")
      let first = reply.json.runners.items.first { $0["number"] == 1 }
      return abs((first?.distance.number ?? 0) - hiddenAt) < 1 ? true : nil
    }
    #expect(try await stage.runner(1)?.coordinate.isNull == true)
    // The stream was not interrupted meanwhile.
    #expect(stream.events.allSatisfy { $0.connection == 1 })
  }

  /// The distance of the first runner in a round of uploads.
  private static let roundMetres = 56.0

  /// The median delay from the response to the first runner's upload until polling and the stream
  /// show it, over seven uploads beyond `start`.
  private static func middleDelay(
    of stage: Stage, _ stream: EventReader, from start: Double
  ) async throws -> Double {
    var delays: [Double] = []
    for step in 1...7 {
      let known = stream.events.count
      let metres = start + Double(step) * roundMetres / 7
      let answered = try await stage.run(1, to: metres)
      let shown = try await eventually("the position by polling") {
        guard let distance = try await stage.runner(1)?.distance.number,
          abs(distance - metres) < 1
        else { return nil as Double? }
        return Date().timeIntervalSince1970
      }
      let event = try await eventually("the position on the stream") {
        stream.events.dropFirst(known).first { $0.name == "positions" }
      }
      delays += [shown - answered, event.time - answered]
    }
    return delays.sorted()[delays.count / 2]
  }

  @Test(
    "runners are found by a known email, unless they choose not to be found", .tags(.RUN_7),
    .timeLimit(.minutes(5)))
  func known() async throws {
    let system = try await TestSystem.shared()
    let stage = try await Self.stage(on: system, runners: 1)
    let hidden = try await Self.stage(on: system, runners: 1, choice: ["findable": false])
    func find(_ stage: Stage) async throws -> [JSONValue] {
      let email = stage.runners[0].person.email
      let question: JSONValue = [["email": .text(email)]]
      let reply = try await stage.organiser.client.post(
        "/t4r/active/specUpdate", stage.document().merging(["runners": question]))
      #expect(reply.outcome == .ok, "\(reply.text)")
      return reply.json.runners.items
    }
    let found = try await eventually("the runner", within: .seconds(120)) {
      try await find(stage).first
    }
    #expect(found.runnerName.text == stage.runners[0].person.email)
    #expect(found["number"].isNull)
    _ = try await eventually("the start", within: .seconds(120)) {
      try await hidden.update().runners.count == 1 ? true : nil
    }
    #expect(try await find(hidden).isEmpty)
  }

  @Test(
    "runners are found by their real name once they allow it, under their current name",
    .tags(.RUN_7), .timeLimit(.minutes(5)))
  func knownByName() async throws {
    let system = try await TestSystem.shared()
    let stage = try await Self.stage(on: system, runners: 1)
    let runner = stage.runners[0]
    let email: JSONValue = [["email": .text(runner.person.email)]]
    func find(_ question: JSONValue) async throws -> [JSONValue] {
      let reply = try await stage.organiser.client.post(
        "/t4r/active/specUpdate", stage.document().merging(["runners": question]))
      #expect(reply.outcome == .ok, "\(reply.text)")
      return reply.json.runners.items
    }
    func find(named name: String) async throws -> [JSONValue] {
      try await find([["fullName": .text(name)]])
    }
    func change(_ choice: JSONValue) async throws {
      let reply = try await runner.post("/t4r/my/settings", stage.document().merging(choice))
      #expect(reply.json.findableByName == choice.findableByName, "\(reply.text)")
    }
    _ = try await eventually("the runner", within: .seconds(120)) { try await find(email).first }
    let name = runner.person.name
    #expect(try await find(named: name).isEmpty)
    #expect(try await runner.get("/t4r/my/list").json.runs[0].findableByName == false)

    try await change(["findableByName": true])
    let typed = "  \(name.uppercased())"
    let found = try await eventually("the runner by name") { try await find(named: typed).first }
    #expect(found.runnerName.text == name.uppercased())
    #expect(found["number"].isNull)

    let renaming: JSONValue = [
      "password": .text(People.password), "full_name": "Zoë Rinominata",
    ]
    #expect(try await runner.post("/settings/single/info", renaming).outcome == .ok)
    #expect(try await find(named: name).isEmpty)
    #expect(try await find(named: "Zoe Rinominata").count == 1)

    try await change(["findableByName": false])
    _ = try await eventually("that the name finds nobody") {
      try await find(named: "Zoe Rinominata").isEmpty ? true : nil
    }
    #expect(try await find(email).count == 1)
  }

  @Test(
    "a runner whose position stops arriving is notified, and spectators see the lost signal",
    .tags(.RUN_14, .R52), .timeLimit(.minutes(8)))
  func silent() async throws {
    let system = try await TestSystem.shared()
    // The second runner never starts, so no signal can be lost.
    let stage = try await Self.stage(on: system, runners: 2)
    _ = try await eventually("the start with both runners", within: .seconds(120)) {
      try await stage.update().runners.count == 2 ? true : nil
    }
    _ = try await stage.run(1, to: 5)
    _ = try await eventually("the runner") {
      try await stage.runner(1)?.status == "running" ? true : nil
    }
    _ = try await eventually("the lost signal", within: .seconds(240)) {
      try await stage.runner(1)?.status == "signal lost" ? true : nil
    }
    func notices(_ runner: SingleUser) async throws -> [JSONValue] {
      try await runner.get("/notifications").json["items"].items
        .filter { $0["data"].event == "signal lost" }
    }
    let notice = try await eventually("the notice", within: .seconds(60)) {
      try await notices(stage.runners[0]).first
    }
    #expect(notice["data"].runID.text == "\(stage.runID)")
    _ = try await system.mailbox.mail(
      to: stage.runners[0].person.email, with: "Da due minuti non riceviamo la tua posizione")
    _ = try await stage.run(1, to: 10)
    _ = try await eventually("the runner again") {
      try await stage.runner(1)?.status == "running" ? true : nil
    }
    #expect(try await notices(stage.runners[0]).count == 1)
    #expect(try await notices(stage.runners[1]).isEmpty)
  }

  @Test(
    "unstorable samples of one runner delay no others, and are shown once they can be stored",
    .tags(.R52, .NFR_4), .timeLimit(.minutes(5)))
  func failing() async throws {
    let system = try await TestSystem.shared()
    let stage = try await Self.stage(on: system, runners: 2)
    _ = try await eventually("the start with both runners", within: .seconds(120)) {
      try await stage.update().runners.count == 2 ? true : nil
    }
    let fault = "fail_\(stage.runID)"
    try await system.superuser(
      """
      CREATE FUNCTION public.\(fault)() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
      CREATE TRIGGER \(fault) BEFORE INSERT ON track4run.run_data
        FOR EACH ROW WHEN (NEW.run_id = \(stage.runID) AND NEW.number = 1)
        EXECUTE FUNCTION public.\(fault)();
      """)
    _ = try await stage.run(1, to: 8)
    _ = try await stage.run(2, to: 5)
    _ = try await eventually("the other runner") {
      try await stage.runner(2)?.status == "running" ? true : nil
    }
    #expect(try await stage.runner(1)?.status == "checked in")
    try await system.superuser("DROP FUNCTION public.\(fault)() CASCADE")
    let shown = try await eventually("the runner, once it can be stored", within: .seconds(120)) {
      let runner = try await stage.runner(1)
      return runner?.status == "running" ? runner : nil
    }
    #expect(abs((shown.distance.number ?? 0) - 8) < 1)
  }

  @Test(
    "after one of two services is killed, spectators continue at the other and see the same",
    .tags(.R52, .RUN_5, .RUN_11, .NFR_4), .timeLimit(.minutes(5)))
  func killed() async throws {
    let system = try await TestSystem([
      "TRACKME_TRACK4RUN_REPLICAS": "2", "TRACKME_DATA4HELP_REPLICAS": "1",
    ])
    let stage = try await Self.stage(on: system, lasting: 65, runners: 3)
    let streams = try (0..<4).map { _ in try stage.watch() }
    defer { for stream in streams { stream.stop() } }
    _ = try await eventually("the start with all runners", within: .seconds(120)) {
      try await stage.update().runners.count == 3 ? true : nil
    }
    for (number, metres) in [(1, 10.0), (2, 20.0), (3, 15.0)] {
      _ = try await stage.run(number, to: metres)
    }
    func placings() async throws -> [JSONValue] {
      try await stage.organiser.client.get("/t4r/active/placings?runID=\(stage.runID)")
        .json.placings.items
    }
    let before = try await eventually("all placings") {
      let items = try await placings()
      return items.count == 3 ? items.map(\.["number"]) : nil
    }
    #expect(before == [2, 3, 1])
    try system.crash("track4run-1")
    let after = try await eventually("the placings of whoever is left") {
      let items = try await placings()
      return items.count == 3 ? items.map(\.["number"]) : nil
    }
    #expect(after == before)
    for stream in streams {
      _ = try await eventually("the end", within: .seconds(120)) {
        stream.events.contains { $0.name == "ended" } ? true : nil
      }
    }
    #expect(try await stage.update().runners.items.map(\.["number"]) == before)
    await system.stop()
  }
}
