import Foundation
import Requirements
import Support
import Testing

// Emergency contacts, and the parties notified of an emergency, on the system of
// `EmergencyJourney`.
extension EmergencyJourney {
  @Test(
    "contacts are asked by mail, one who declined gets nothing, and mails name time zone and place",
    .tags(.SOS_6, .NTF_3), .timeLimit(.minutes(3)))
  func contactsAgree() async throws {
    let system = try await Self.system.value
    let user = try await system.monitoredUser()
    let hospital = try await system.hospital(at: "45.46,9.19")
    let zone: JSONValue = [
      "password": .text(People.password), "time_zone": "America/New_York",
    ]
    #expect(try await user.post("/settings/single/info", zone).outcome == .ok)
    let names = ["Anna", "Ugo", "Eva"]
    func address(_ name: String) -> String {
      "\(name.lowercased()).\(user.person.email)"
    }
    let contacts = names.map { name -> JSONValue in
      ["name": .text(name), "email": .text(address(name))]
    }
    for _ in 0..<2 {
      let reply = try await user.post("/sos/contacts", ["contacts": .array(contacts)])
      #expect(reply.outcome == .ok, "\(reply.text)")
    }
    let question = try await system.mailbox.mail(to: address("Eva"), with: "/sos/contact?token=")
    #expect(question.contains("Content-Transfer-Encoding: 7bit"), "\(question)")
    try await user.answer(true, asContact: address("Anna"), of: system)
    try await user.answer(false, asContact: address("Eva"), of: system)
    let states = try await user.get("/sos/settings").json.contacts.items.map(\.state)
    #expect(states == ["agreed", "asked", "declined"])
    try await user.upload("position", [(TestTimes.text(), "45.4642,9.19")])
    try await user.raiseHeartRate()
    let map = "https://www.openstreetmap.org/?mlat=45.4642&mlon=9.19#map=17/45.4642/9.19"
    let notified = try await system.mailbox.mail(to: address("Anna"), with: map)
    #expect(notified.contains("vicino a Milano, 45.4642,9.19"), "\(notified)")
    #expect(notified.contains(/alle \d\d:\d\d \(America\/New_York, E[SD]T\)/), "\(notified)")
    #expect(!notified.contains("Non hai ancora accettato"))
    let once = try await system.mailbox.mail(to: address("Ugo"), with: map)
    #expect(once.contains("Non hai ancora accettato"))
    let entry = try await user.json("/sos/history").episodes[0]
    // The emergency number may have been called too, two seconds after the hospital.
    let toContacts = entry.calls.items.filter { $0.contact.text != nil }
    #expect(
      toContacts.map(\.contact.text) == ["Anna", "Ugo"]
        && toContacts.allSatisfy { $0.voice == false })
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    for name in ["Anna", "Ugo"] {
      _ = try await system.mailbox.mail(to: address(name), with: "falso allarme")
    }
    // Each contact was asked once, and the one who declined received no other mail.
    #expect(try system.mailbox.mails(to: address("Eva")).count == 1)
    #expect(try system.mailbox.mails(to: address("Anna")).count == 3)
    #expect(try await hospital.post("/sos/duty", ["onDuty": false]).outcome == .ok)
  }

  @Test(
    "a call carries the vital signs of five minutes, and the record of accesses names everybody",
    .tags(.SOS_5, .SOS_8, .REQ_5, .NFR_6), .timeLimit(.minutes(3)))
  func recorded() async throws {
    let system = try await Self.system.value
    let user = try await system.monitoredUser()
    let hospital = try await system.hospital(at: "45.46,9.19")
    let contact: JSONValue = ["name": "Anna", "email": .text("anna.\(user.person.email)")]
    #expect(try await user.post("/sos/contacts", ["contacts": [contact]]).outcome == .ok)
    let stream = try EventReader("/req/tp/stream", hospital.token, of: system)
    defer { stream.stop() }
    let before = TestTimes.text(after: .seconds(-200))
    try await user.upload("oxygenSaturation", [(before, 93)])
    try await user.upload(
      "bodyTemperature", [(TestTimes.text(after: .seconds(-100)), 37.25)])
    try await user.raiseHeartRate()
    let call = try await eventually("the call") {
      stream.events.first { $0.name == "sos.called" }
    }
    let readings = call.data["data"].readings.items
    #expect(readings.contains { $0.dataType == "oxygenSaturation" && $0.value == "93" })
    #expect(readings.contains { $0.dataType == "bodyTemperature" && $0.value == "37.25" })
    #expect(readings.contains { $0.dataType == "heartRate" && $0.basis == true })
    #expect(call.data["data"].cap.text?.contains("bodyTemperature 37.25") == true)
    let emergency = call.data["data"].episodeID
    let document: JSONValue = ["episodeID": emergency]
    #expect(try await hospital.post("/sos/acknowledge", document).outcome == .ok)
    // Later readings belong to it too, until its end.
    try await user.upload("respiratoryRate", [(TestTimes.text(), 31)])
    let listed = try await hospital.get("/sos/calls").json.calls[0]
    #expect(listed.readings.items.contains { $0.dataType == "respiratoryRate" })
    let closing = document.with("outcome", "helped")
    #expect(try await hospital.post("/sos/outcome", closing).outcome == .ok)
    let history = try await user.json("/sos/history").episodes[0]
    #expect(history.readings.items.contains { $0.dataType == "respiratoryRate" })
    let accesses = try await user.get("/data/accesses").json.accesses.items
    let byHospital = accesses.filter { $0.company_name.text == hospital.company.name }
    #expect(
      Set(byHospital.compactMap(\.format.text)) == ["stream", "mail", "acknowledgement", "json"],
      "\(byHospital)")
    #expect(byHospital.allSatisfy { $0.episodeID == emergency })
    let byContact = accesses.filter { $0.contact == "Anna" }
    #expect(byContact.count == 3 && byContact.allSatisfy { $0.format == "mail" }, "\(byContact)")
    let read = try #require(byHospital.first { $0.format == "json" })
    #expect(read.dataTypes.items.contains("respiratoryRate"))
    let audit = try await system.trackme("audit", "verify")
    #expect(audit.isSuccess, "\(audit.output)")
    #expect(try await hospital.post("/sos/duty", ["onDuty": false]).outcome == .ok)
  }
}

extension SingleUser {
  /// Answers as an emergency contact by the mail's link and its page. The page names the person as
  /// registered, or by the part `naming` of another name.
  func answer(
    _ agrees: Bool, asContact address: String, of system: TestSystem, naming name: String? = nil
  ) async throws {
    let mail = try await system.mailbox.mail(to: address, with: "/sos/contact?token=")
    let found = try #require(mail.firstMatch(of: /sos\/contact\?token=([\w.-]+)/))
    let page = try await client.get(
      "/sos/contact?token=\(found.1)", fields: [("accept", "text/html")])
    #expect(page.status == 200 && page.text.contains(name ?? person.name), "\(page.text)")
    let answer: JSONValue = [
      "token": .text(String(found.1)), "agree": .bool(agrees),
    ]
    let first = try await client.post("/sos/contact", answer)
    #expect(first.outcome == .ok, "\(first.text)")
    let second = try await client.post("/sos/contact", answer)
    #expect(second.outcome == Outcome(401, "Wrong token"))
  }
}
