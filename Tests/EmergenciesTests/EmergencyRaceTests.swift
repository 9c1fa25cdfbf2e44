import Data4HelpFixture
import Domain
import Foundation
import PublicAPI
import Requirements
import Support
import Testing
import Time

@Suite("Aborts and calls that race, over two replicas")
struct EmergencyRaceTests {
  private static let people = [Known.mario, Known.laura]
  /// The number of a person's rules broken at once.
  private static let rules = 4
  private static let races = 1000

  @Test(
    "in 1000 races of an abort and a call exactly one wins, and all messages agree",
    .tags(.SOS_4, .SOS_7))
  func thousand() async throws {
    try await SingleRequestStage.with { first in
      try await first.populateEmergencies()
      try await first.enable(Known.laura)
      try await first.hospital(Known.clinic, at: "45.46,9.19")
      try await SingleRequestStage.replica(of: first.installation) { second in
        var called: Set<String> = []
        let perRound = Self.people.count * Self.rules
        for round in 0..<(Self.races / perRound) {
          called.formUnion(try await Self.race(first, second, round))
          // Each replica reads the outcome, as it does ten times a second; by the next round every
          // rule is active again.
          for replica in [first, second] {
            try await replica.follow()
            replica.clock.advance(seconds: 660)
          }
        }
        #expect(!called.isEmpty && called.count < Self.races)
        #expect(second.voice.calls.isEmpty && first.voice.calls.isEmpty)
        let notified = try await Self.called(Known.clinic, at: first)
        #expect(notified.count == called.count, "nobody is called twice")
        #expect(Set(notified) == called)
      }
    }
  }

  /// Runs the races of a round and returns the called emergencies. In every tenth round all calls
  /// come first, in another tenth all aborts; in the others they run concurrently.
  private static func race(
    _ first: SingleRequestStage, _ second: SingleRequestStage, _ round: Int
  ) async throws -> Set<String> {
    var owners: [String: AccountID] = [:]
    for person in people {
      for id in try await confirmed(person, at: first, round) { owners[id] = person }
    }
    // By one replica's clock the window is open for another millisecond, by the other's it is over.
    first.clock.advance(milliseconds: 4_999)
    second.clock.advance(milliseconds: 5_000)
    if round % 10 == 0 { try await second.turn() }
    async let moved = round % 10 == 1 ? 0 : second.turn()
    let statuses = try await abort(owners, at: first)
    _ = try await moved
    try await second.turn()
    first.clock.advance(milliseconds: 1)
    try #require(statuses.values.allSatisfy { $0 == 200 || $0 == 409 }, "\(statuses)")
    let called = Set(statuses.filter { $0.value == 409 }.keys)
    for person in people {
      let own = owners.filter { $0.value == person }.map(\.key)
      try await expectNotified(person, of: own, called, at: first)
    }
    for id in owners.keys {
      let status = try await first.act(.acknowledgeCall, id, by: Known.clinic, .thirdParty)
      #expect(status == (called.contains(id) ? 200 : 404))
    }
    return called
  }

  private static func abort(
    _ owners: [String: AccountID], at stage: SingleRequestStage
  ) async throws -> [String: Int] {
    try await withThrowingTaskGroup(of: (String, Int).self) { group in
      for (id, person) in owners {
        group.addTask {
          (id, try await stage.act(.abortEmergency, id, by: person, .singleUser))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// Breaks four rules of a person for 3 s, in one upload; returns the confirmed emergencies.
  private static func confirmed(
    _ person: AccountID, at stage: SingleRequestStage, _ round: Int
  ) async throws -> [String] {
    let now = stage.clock.now
    let times = [now.adding(seconds: -3), now]
    let body = times.enumerated().map { place, time in
      // Real sensors never repeat one value for hours.
      let change = (2 * round + place) % 7
      return [
        ("heartRate", "\(140 + change)"), ("bloodPressureSystolic", "\(180 + change)"),
        ("bloodPressureDiastolic", "\(105 + change)"), ("fall", "1"), ("shaking", "1"),
      ].map { ($0.0, $0.1, "\(time)") }
    }.flatMap(\.self)
    func list(_ values: [String]) -> String { "[\"\(values.joined(separator: "\",\""))\"]" }
    let upload = """
      {"dataTypes":\(list(body.map(\.0))),"values":\(list(body.map(\.1))),\
      "timestamp":\(list(body.map(\.2)))}
      """
    let reply = try await stage.call(.upload, upload, by: person, .singleUser)
    try #require(reply.status == 200, "round \(round): \(reply.text)")
    // Readings that break every rule for 3 s confirm all of them.
    return try await eventually(
      "the emergencies of round \(round)", within: .seconds(120), every: .milliseconds(5)
    ) {
      let reply = try await stage.call(
        .emergencies, query: "limit=\(rules)", by: person, .singleUser)
      // No second reading confirms a fall or shaking: the person is asked.
      let fresh = reply.list("episodes").filter {
        ["confirmed", "asked"].contains($0["stage"] as? String)
      }
      let raised = fresh.compactMap { $0["episodeID"] as? String }
      return raised.count == rules ? raised : nil
    }
  }

  /// Checks that the last message to a person about each emergency, and the history, agree with the
  /// winner of the race.
  private static func expectNotified(
    _ person: AccountID, of emergencies: [String], _ called: Set<String>,
    at stage: SingleRequestStage
  ) async throws {
    let page = try await stage.notices(of: person, .singleUser, "limit=40")
    let notified = page.list("items").compactMap { $0["data"] as? [String: Any] }
    let history = try await stage.call(
      .emergencies, query: "limit=\(rules)", by: person, .singleUser
    ).list("episodes")
    for id in emergencies {
      let expected = called.contains(id) ? "dispatched" : "aborted"
      let ends = notified.filter { $0["episodeID"] as? String == id }
        .compactMap { $0["stage"] as? String }
      // An emergency asked about is aborted before or after it is confirmed.
      let least = expected == "aborted" && ends.contains("asked") ? 2 : 3
      #expect(ends.first == expected && (least...3).contains(ends.count), "\(ends)")
      let entry = history.first { $0["episodeID"] as? String == id }
      #expect(entry?["stage"] as? String == expected)
      let calls = entry.map(SingleRequestStage.calls) ?? []
      #expect(calls.count == (expected == "aborted" ? 0 : 1))
    }
  }

  /// The emergencies for which a hospital was called, in its sequence.
  private static func called(
    _ hospital: AccountID, at stage: SingleRequestStage
  ) async throws -> [String] {
    var found: [String] = []
    var since = 0
    while true {
      let reply = try await stage.call(
        .thirdPartyEvents, query: "since=\(since)", by: hospital, .thirdParty)
      let events = reply.list("events")
      guard let last = events.last?["seq"] as? Int else { return found }
      since = last
      found += events.filter { $0["type"] as? String == "sos.called" }
        .compactMap { ($0["data"] as? [String: Any])?["episodeID"] as? String }
    }
  }
}
