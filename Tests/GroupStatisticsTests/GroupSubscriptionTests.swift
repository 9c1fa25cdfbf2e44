import Data4HelpFixture
import Domain
import Foundation
import GroupStatistics
import PublicAPI
import Requirements
import Testing

@Suite("Subscriptions to groups")
struct GroupSubscriptionTests {
  private static let weeks = "\"subscribing\":true,\"duration\":1209600"

  /// The windows of a subscription with first and last time; empty if there are none yet.
  private func windows(
    _ stage: SingleRequestStage, _ requestID: String
  ) async throws -> [String] {
    var list: [String] = []
    var cursor: String?
    while true {
      let reply = try await stage.data(requestID, cursor: cursor)
      guard let from = reply["from"], let to = reply["to"] else { return list }
      list.append("\(from.prefix(10))/\(to.prefix(10))")
      guard let next = reply["next"] else { return list }
      cursor = next
    }
  }

  @Test("a failing subscription does not delay the windows of others")
  func damaged() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500, days: 20)
      let broken = try #require(try await stage.askGroup(subscribing: Self.weeks)["reqID"])
      let sound = try #require(try await stage.askGroup(subscribing: Self.weeks)["reqID"])
      try stage.run(
        """
        UPDATE data4help.group_requests
           SET search = ARRAY['residence.municipality=Atlantis']
         WHERE request_id = '\(broken)'
        """)
      stage.clock.advance(seconds: 86_400)
      _ = try await stage.groupWorkers.closeDays()
      #expect(try await stage.groupWorkers.releaseWindows() == 2)
      #expect(try await windows(stage, sound).count == 2)
      #expect(try await windows(stage, broken).count == 1)
    }
  }

  @Test("a closed day is released, one too small becomes part of the next", .tags(.R31, .R32, .R28))
  func released() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      // Values up to the 18th for all, on the 19th for 1000 people, on the 20th for all again.
      try await stage.addPeople(0..<1500, days: 18)
      let reply = try await stage.askGroup(subscribing: Self.weeks)
      let requestID = try #require(reply["reqID"])
      #expect(try await windows(stage, requestID) == ["2026-10-19/2026-11-18"])
      stage.clock.advance(seconds: 86_400)
      _ = try await stage.groupWorkers.closeDays()
      #expect(try await stage.groupWorkers.releaseWindows() == 1)
      #expect(try await stage.groupWorkers.releaseWindows() == 0)
      #expect(
        try await windows(stage, requestID)
          == ["2026-10-19/2026-11-18", "2026-11-18/2026-11-19"])
      stage.clock.advance(seconds: 86_400)
      _ = try await stage.groupWorkers.closeDays()
      _ = try await stage.groupWorkers.releaseWindows()
      #expect(try await windows(stage, requestID).count == 2)
      try await stage.setDays(18..<19, of: 0..<1500, .heartRate, 135)
      stage.clock.advance(seconds: 86_400)
      _ = try await stage.groupWorkers.closeDays()
      _ = try await stage.groupWorkers.releaseWindows()
      #expect(try await windows(stage, requestID).last == "2026-11-19/2026-11-21")
    }
  }

  @Test(
    "a subscription ends by the third party at any time, or when its time is over",
    .tags(.R32, .R20, .R21))
  func ended() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      let first = try #require(try await stage.askGroup(subscribing: Self.weeks)["reqID"])
      let second = try #require(
        try await stage.askGroup(subscribing: "\"subscribing\":true,\"duration\":129600")["reqID"])
      let once = try #require(try await stage.askGroup()["reqID"])
      #expect(try await stage.endByCompany(first, by: Known.studio).status == 404)
      #expect(try await stage.endByCompany(first).status == 200)
      #expect(try await stage.endByCompany(first).status == 409)
      #expect(try await stage.endByCompany(once).status == 409)
      stage.clock.advance(seconds: 2 * 86_400)
      _ = try await stage.groupWorkers.closeDays()
      _ = try await stage.groupWorkers.releaseWindows()
      #expect(try await windows(stage, first).count == 1)
      // It lasted to the start of the 20th: the 18th and the 19th are its window.
      #expect(
        try await windows(stage, second) == ["2026-10-19/2026-11-18", "2026-11-18/2026-11-20"])
      let rows = try await stage.companyList().list("requests")
      let states = rows.compactMap { $0["status"] as? String }
      #expect(states.filter { $0 == "ended" }.count == 2)
      #expect(try await stage.data(second).status == 200)
    }
  }

  @Test(
    "the last day of a subscription that ends at midnight is released when it is closed",
    .tags(.R31, .R32))
  func endedAtMidnight() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      // From noon of the 18th to the start of the 20th.
      let reply = try await stage.askGroup(subscribing: "\"subscribing\":true,\"duration\":129600")
      let requestID = try #require(reply["reqID"])
      stage.clock.advance(seconds: 129_600 + 300)
      _ = try await stage.groupWorkers.closeDays()
      #expect(try await stage.groupWorkers.releaseWindows() == 1)
      #expect(try await stage.groupWorkers.releaseWindows() == 0)
      #expect(
        try await windows(stage, requestID)
          == ["2026-10-19/2026-11-18", "2026-11-18/2026-11-19"])
      stage.clock.advance(seconds: 600)
      _ = try await stage.groupWorkers.closeDays()
      #expect(try await stage.groupWorkers.releaseWindows() == 1)
      #expect(try await windows(stage, requestID).last == "2026-11-19/2026-11-20")
      stage.clock.advance(seconds: 86_400)
      _ = try await stage.groupWorkers.closeDays()
      #expect(try await stage.groupWorkers.releaseWindows() == 0)
      #expect(try await windows(stage, requestID).count == 3)
    }
  }
}
