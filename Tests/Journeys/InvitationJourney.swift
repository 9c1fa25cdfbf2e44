import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Invitations to runs, through the gateway")
struct InvitationJourney {
  /// An unused address.
  private func address() -> String { "guest.\(UUID().uuidString.lowercased())@example.org" }

  private func invitation(_ runID: Int, _ addresses: [String]) -> JSONValue {
    ["runID": .number(Double(runID)), "emails": .array(addresses.map { .text($0) })]
  }

  @Test(
    "an organiser and a runner invite by mail with the run's link, each address once",
    .tags(.RUN_10))
  func invite() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let known = try await system.singleUser()
    let runID = try await organiser.listedRun()
    let code = try await organiser.get("/t4r/org/list").json.runs[0].code.text ?? ""
    #expect(try await runner.join(runID, ["runnerName": "The red one"]).outcome == .ok)
    let guest = address()
    // One address has an account and one does not: the responses are the same.
    let byCompany = try await organiser.post(
      "/t4r/org/invite", invitation(runID, [guest, known.person.email]))
    #expect(byCompany.outcome == .ok, "\(byCompany.text)")
    #expect(byCompany.json.message == "Action successful")
    for email in [guest, known.person.email] {
      let mail = try await system.mailbox.mail(to: email, with: "/r/\(code)")
      #expect(mail.contains(organiser.company.name))
      #expect(mail.contains("Journey run"))
    }
    let friend = address()
    let byRunner = try await runner.post("/t4r/active/invite", invitation(runID, [guest, friend]))
    #expect(byRunner.outcome == .ok, "\(byRunner.text)")
    #expect(byRunner.text == byCompany.text)
    let mail = try await system.mailbox.mail(to: friend, with: "/r/\(code)")
    #expect(mail.contains("The red one"))
    #expect(!mail.contains(runner.person.email))
    // The friend's mail would have been sent after the guest's second one.
    #expect(try system.mailbox.mails(to: guest).count == 1)
  }

  @Test("a co-organiser invites to the run, until it is removed", .tags(.RUN_2))
  func coOrganiser() async throws {
    let system = try await TestSystem.shared()
    let (organiser, helper) = (try await system.thirdParty(), try await system.thirdParty())
    let runID = try await organiser.listedRun()
    let code = try await organiser.get("/t4r/org/list").json.runs[0].code.text ?? ""
    func allow(_ allowed: Bool) async throws {
      let reply = try await organiser.post(
        "/t4r/org/coorganiser",
        [
          "runID": .number(Double(runID)), "email": .text(helper.company.email),
          "allowed": .bool(allowed),
        ])
      #expect(reply.outcome == .ok, "\(reply.text)")
    }
    let guest = address()
    func invite() async throws -> Outcome {
      try await helper.post("/t4r/org/invite", invitation(runID, [guest])).outcome
    }
    #expect(try await invite() == Outcome(404, "Not found"))
    try await allow(true)
    #expect(try await invite() == .ok)
    _ = try await system.mailbox.mail(to: guest, with: "/r/\(code)")
    try await allow(false)
    #expect(try await invite() == Outcome(404, "Not found"))
    #expect(try system.mailbox.mails(to: guest).count == 1)
  }

  @Test(
    "only organisers and runners of a run can invite to it, and only to listed runs",
    .tags(.RUN_10))
  func refusals() async throws {
    let system = try await TestSystem.shared()
    let (organiser, other) = (try await system.thirdParty(), try await system.thirdParty())
    let runner = try await system.singleUser()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let guests = invitation(runID, [address()])
    let unlisted = try await organiser.post("/t4r/org/invite", guests)
    #expect(unlisted.outcome == Outcome(409, "Wrong state"))
    _ = try await organiser.draw(RunOfTest.path(), for: runID)
    let notFound = Outcome(404, "Not found")
    #expect(try await other.post("/t4r/org/invite", guests).outcome == notFound)
    #expect(try await runner.post("/t4r/active/invite", guests).outcome == notFound)
    let wrong = invitation(runID, [address(), "not an address"])
    let reply = try await organiser.post("/t4r/org/invite", wrong)
    #expect(reply.outcome == .malformed)
    #expect(reply.field == "emails[1]")
    let cancel: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", cancel).outcome == .ok)
    let cancelled = try await organiser.post("/t4r/org/invite", guests)
    #expect(cancelled.outcome == Outcome(409, "Wrong state"))
  }

  @Test("a runner can invite twenty addresses a day, in any number of calls", .tags(.RUN_10))
  func limit() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.listedRun()
    #expect(try await runner.join(runID).outcome == .ok)
    let same = (0..<10).map { _ in address() }
    for _ in 0..<2 {
      #expect(try await runner.post("/t4r/active/invite", invitation(runID, same)).outcome == .ok)
    }
    let further = try await runner.post("/t4r/active/invite", invitation(runID, [address()]))
    #expect(further.outcome == Outcome(429, "Too many requests"))
    #expect(further.fields["retry-after"] != nil)
  }

  @Test(
    "an address receives at most three invitations a day, from any senders and to any runs",
    .tags(.RUN_10))
  func receiver() async throws {
    let system = try await TestSystem.shared()
    let guest = address()
    for _ in 0..<4 {
      let organiser = try await system.thirdParty()
      let runID = try await organiser.listedRun()
      // The responses are the same, including that for the call that sends no mail.
      let reply = try await organiser.post("/t4r/org/invite", invitation(runID, [guest]))
      #expect(reply.outcome == .ok, "\(reply.text)")
      // Once this mail has arrived, the other one would have arrived too.
      let other = address()
      #expect(
        try await organiser.post("/t4r/org/invite", invitation(runID, [other])).outcome == .ok)
      _ = try await system.mailbox.mail(to: other, with: organiser.company.name)
    }
    let mails = try await eventually("the mails") {
      let mails = try system.mailbox.mails(to: guest)
      return mails.count >= 3 ? mails : nil
    }
    #expect(mails.count == 3)
  }
}
