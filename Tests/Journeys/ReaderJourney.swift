import Foundation
import Requirements
import Support
import Testing

@Suite("Mails and notices in the reader's language, through the gateway", .tags(.NTF_3))
struct ReaderJourney {
  /// A time in the format of a reader in Tokyo.
  private static func tokyo(_ time: String) throws -> String {
    let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_GB")
    format.timeZone = zone
    format.dateFormat = "d MMMM yyyy, HH:mm"
    return "\(format.string(from: try Date(time, strategy: .iso8601))) (Asia/Tokyo)"
  }

  @Test(
    "a check-in's mail and notice have company, run, start and deadline in the reader's format",
    .tags(.R47, .RUN_9), .timeLimit(.minutes(5)))
  func checkIn() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (english, italian) = (try await system.singleUser(), try await system.singleUser())
    let settings: JSONValue = [
      "password": .text(People.password), "language": "en", "time_zone": "Asia/Tokyo",
    ]
    let stored = try await english.post("/settings/single/info", settings)
    #expect(stored.outcome == .ok, "\(stored.text)")
    // The run is renamed before its start, but after the mails, which take half a minute.
    let start = RelativeTimes.after(120)
    let runID = try await organiser.listedRun([
      "runName": "Night run", "startTime": .text(start),
      "endTime": .text(RelativeTimes.after(3_600)),
    ])
    for user in [english, italian] { #expect(try await user.join(runID).outcome == .ok) }
    let time = try Self.tokyo(start)
    let joined = try await system.mailbox.mail(
      to: english.person.email, with: "You now take part: the run “Night run” of")
    #expect(joined.contains("Subject: TrackMe: enrolment"))
    #expect(joined.contains(time), "\(joined)")
    #expect(!joined.contains("partecipi"))
    _ = try await system.mailbox.mail(
      to: italian.person.email, with: "Ora partecipi: la corsa “Night run” del")

    let request = try await english.checkInRequest()
    let text =
      "If you accept, the company sees your name, your email and this data: position. "
      + "Answer by \(time), or you cannot take part. \(organiser.company.name) asks you to check "
      + "in to the run “Night run” (code \(request.code.text ?? "")) of \(time)."
    let notices = try await english.get("/notifications").json["items"].items
    #expect(notices.first { $0.kind == "request" }?["text"].text == text)
    // A page in another language than the account's.
    let translated = try await english.get("/notifications?language=it").json["items"].items
    let italianText = translated.first { $0.kind == "request" }?["text"].text ?? ""
    #expect(italianText.contains("ti chiede di confermare la presenza"), "\(italianText)")
    #expect(italianText.contains("(Asia/Tokyo)"), "\(italianText)")
    let refused = try await english.get("/notifications?language=fr")
    #expect(refused.status == 400 && refused.text.contains("language"), "\(refused.text)")
    let mail = try await eventually("the mail of the notice", within: .seconds(90)) {
      try system.mailbox.mails(to: english.person.email).first {
        $0.contains("asks you to check in")
      }
    }
    #expect(mail.contains("Subject: TrackMe: news"))
    _ = try await eventually("the Italian one", within: .seconds(90)) {
      try system.mailbox.mails(to: italian.person.email).first {
        $0.contains("ti chiede di confermare la presenza")
      }
    }

    let renamed = try await organiser.post(
      "/t4r/org/update", ["runID": .number(Double(runID)), "runName": "Dawn run"])
    #expect(renamed.outcome == .ok, "\(renamed.text)")
    _ = try await eventually("the new name in the request") {
      try await english.checkInRequest().runName == "Dawn run" ? true : nil
    }
  }
}
