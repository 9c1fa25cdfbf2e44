import Foundation
import Requirements
import Support
import Testing

@Suite("Devices that stop sending, through the gateway")
struct SilenceJourney {
  @Test(
    "a monitored person is notified once, ten minutes after the last reading",
    .tags(.SOS_9, .NTF_1), .timeLimit(.minutes(4)))
  func silent() async throws {
    let system = try await TestSystem.shared()
    let (user, other) = (try await system.monitoredUser(), try await system.monitoredUser())
    let (stream, others) = (
      try EventReader("/events", user.token, of: system),
      try EventReader("/events", other.token, of: system)
    )
    defer {
      stream.stop()
      others.stop()
    }
    let account = try await system.hear(user)
    let otherAccount = try await system.hear(other)
    // The last ten seconds pass in real time.
    let since = try await system.dateBack(account, seconds: 590)
    let notified = try await eventually("the silence") { stream.events.first }
    #expect((notified.name, notified.data["data"].stage) == ("alarm", "silent"))
    #expect(notified.time - since >= 600, "told after \(notified.time - since) s")
    #expect(notified.data["data"].since.text.flatMap(TestTimes.seconds) == since)
    // A later check notifies another person, and this one no second time.
    _ = try await system.dateBack(otherAccount, seconds: 600)
    _ = try await eventually("the other one's silence") { others.events.first }
    #expect(stream.events.count == 1)
    let notices = try await user.get("/notifications").json["items"].items
    #expect(notices.map { $0["data"].stage } == ["silent"])
    let text = try #require(notices.first?["text"].text)
    #expect(text.contains("dai tuoi dispositivi non arrivano dati"), "\(text)")
  }
}

extension TestSystem {
  /// Uploads a heart rate and returns the account once the database has recorded it, because a
  /// replica's memory would otherwise be newer than a backdated value.
  fileprivate func hear(_ user: SingleUser) async throws -> String {
    let time = TestTimes.text()
    try await user.upload("heartRate", [(time, 70)])
    return try await eventually("the note of who was heard") {
      let account = try await superuser(
        "SELECT account_id FROM data4help.monitored_users WHERE heard_at = '\(time)'")
      if !account.isEmpty { return account }
      // The replicas record it every 15 s, and each poll starts a process.
      try await pause(.milliseconds(500))
      return nil
    }
  }

  /// Backdates the last reading of a person; returns its time in seconds since 1970.
  fileprivate func dateBack(_ account: String, seconds: Int) async throws -> Double {
    let time = try await superuser(
      """
      UPDATE data4help.monitored_users SET heard_at = heard_at - interval '\(seconds) seconds'
       WHERE account_id = \(account)
      RETURNING to_char(heard_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      """)
    return try #require(TestTimes.seconds(time), "\(time)")
  }
}
