import Requirements
import Support
import Testing

@Suite("Notices, through the gateway")
struct NoticeJourney {
  private static let text = "chiede frequenza cardiaca (una volta sola). Rispondi entro il "

  @Test(
    "a notice is listed as unread, pushed to an open stream, or else mailed if enabled",
    .tags(.NTF_1, .NTF_3, .REQ_4))
  func notices() async throws {
    let system = try await TestSystem.shared()
    let (silent, present, away) = (
      try await system.singleUser(), try await system.singleUser(), try await system.singleUser()
    )
    #expect(try await silent.post("/notifications/mail", ["kinds": ["security"]]).outcome == .ok)
    let stream = try EventReader("/events", present.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    let party = try await system.thirdParty()
    for user in [silent, present, away] {
      try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
      let request = try await party.ask(user, for: ["heartRate"])
      let list = try await user.get("/notifications").json
      #expect((list.unread, list["items"].items.count) == (1, 1))
      #expect(list["items"][0]["data"].reqID.text == request)
    }
    let pushed = try await eventually("the notice on the stream") { stream.events.first }
    #expect(pushed.name == "request")
    #expect(pushed.data["data"].company_name.text == party.company.name)
    let text = "\(party.company.name) \(Self.text)"
    #expect(pushed.data["text"].text?.hasPrefix(text) == true)
    _ = try await system.mailbox.mail(to: away.person.email, with: text)
    for user in [silent, present] {
      let mails = try system.mailbox.mails(to: user.person.email)
      #expect(!mails.contains { $0.contains(Self.text) })
    }
    #expect(try await away.post("/notifications/read", ["ids": [1]]).outcome == .ok)
    let read = try await away.get("/notifications").json
    #expect((read.unread, read["items"][0].read) == (0, true))
  }
}
