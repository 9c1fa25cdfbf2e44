import Foundation
import Requirements
import Support
import TelephoneFixture
import Testing

@Suite("Calls by voice, through the gateway", .serialized)
struct VoiceJourney {
  @Test(
    "without a hospital on duty a telephone rings; hearing the message acknowledges it",
    .tags(.SOS_5, .SOS_6), .timeLimit(.minutes(4)))
  func heard() async throws {
    let (number, gateway) = (try await Answerer(.answering), try await Answerer(.answering))
    let system = try await TestSystem([
      "TRACKME_SIP_TARGET": "sip://127.0.0.1:\(number.port)/sos",
      "TRACKME_SIP_CONTACTS": "sip://127.0.0.1:\(gateway.port)",
      "TRACKME_DATA4HELP_REPLICAS": "2",
    ])
    let user = try await system.monitoredUser()
    let contact: JSONValue = [
      "name": "Anna", "email": "anna.by.voice@example.org", "phone": "+39 02 7654321",
    ]
    #expect(try await user.post("/sos/contacts", ["contacts": [contact]]).outcome == .ok)
    try await user.answer(true, asContact: "anna.by.voice@example.org", of: system)
    try await user.upload("position", [(TestTimes.text(), "45.4642,9.19")])
    try await user.raiseHeartRate()
    let entry = try await eventually("the acknowledgement") {
      let entry = try await user.json("/sos/history").episodes[0]
      return entry.stage == "acknowledged" ? entry : nil
    }
    let calls = entry.calls.items.filter { $0.contact.text == nil }
    #expect(calls.count == 1, "one call, and no other while somebody listens to it")
    #expect((calls[0].voice, calls[0].hospital) == (true, .null))
    #expect(calls[0].acknowledgedAt.text != nil)
    let notified = try await user.get("/notifications").json["items"].items
    #expect(notified.contains { $0["data"].stage == "acknowledged" }, "\(notified)")
    #expect(number.events.first == "invite 1 sip:sos@127.0.0.1:\(number.port)")
    #expect(number.events.count { $0.hasPrefix("invite") } == 1)
    let recording = try await number.recording(ofCall: 1)
    let age =
      Calendar(identifier: .gregorian).dateComponents(
        [.year], from: try Date("1980-01-01T00:00:00Z", strategy: .iso8601), to: .now
      ).year ?? 0
    let sentence = """
      Emergenza sanitaria, messaggio automatico. Persona di \(age) anni, frequenza cardiaca \
      troppo alta. Vicino a Milano. Latitudine 45 virgola 46 42, longitudine 9 virgola 19 0 0.
      """
    // A little over 15 s at the usual pace, so the message is spoken correspondingly faster.
    let usual = try await Sound(saying: sentence, voice: "it", pace: 170).seconds
    let pace = usual <= 15 ? 170 : Int(170 * usual / 15 * 1.1) + 1
    let spoken = try await Sound(saying: sentence, voice: "it", pace: pace)
    #expect(spoken.seconds <= 15)
    #expect(recording.likeness(to: spoken, at: 0.5) > 0.8)
    // Anna's telephone rings too, through the gateway.
    _ = try await eventually("the call of the contact", within: .seconds(120)) {
      gateway.events.first == "invite 1 sip:+39027654321@127.0.0.1:\(gateway.port)" ? true : nil
    }
    let toContact = try await eventually("the contact has heard it", within: .seconds(120)) {
      try await user.json("/sos/history").episodes[0].calls.items.first {
        $0.contact == "Anna" && $0.acknowledgedAt.text != nil
      }
    }
    #expect((toContact.voice, toContact.hospital) == (true, .null))
    _ = try await system.mailbox.mail(to: "anna.by.voice@example.org", with: "45.4642,9.19")
    try await expectNothingLogged(in: system, of: user)
    await system.stop()
  }

  @Test(
    "an unanswered telephone rings repeatedly, until the person reports a false alarm",
    .tags(.SOS_4, .SOS_5), .timeLimit(.minutes(4)))
  func unheard() async throws {
    let number = try await Answerer(.busy)
    let system = try await TestSystem([
      "TRACKME_SIP_TARGET": "sip://127.0.0.1:\(number.port)/sos", "TRACKME_SOS_ACKNOWLEDGE": "3",
    ])
    let user = try await system.monitoredUser()
    try await user.raiseHeartRate()
    _ = try await eventually("two calls") {
      number.events.count { $0.hasPrefix("invite") } >= 2 ? true : nil
    }
    let entry = try await user.json("/sos/history").episodes[0]
    #expect(entry.stage == "dispatched")
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    try await expectNothingLogged(in: system, of: user)
    await system.stop()
  }

  @Test(
    "a false alarm hangs up a ringing call, whichever replica has placed it",
    .tags(.SOS_4, .SOS_5), .timeLimit(.minutes(4)))
  func withdrawn() async throws {
    let number = try await Answerer(.ringing)
    let system = try await TestSystem([
      "TRACKME_SIP_TARGET": "sip://127.0.0.1:\(number.port)/sos",
      "TRACKME_DATA4HELP_REPLICAS": "2", "TRACKME_SOS_ACKNOWLEDGE": "60",
    ])
    let user = try await system.monitoredUser()
    try await user.raiseHeartRate()
    _ = try await eventually("the telephone rings") { number.events.isEmpty ? nil : true }
    let entry = try await user.json("/sos/history").episodes[0]
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    // Within a few seconds, instead of 54 s without an answer.
    let call = try await eventually("the hanging up") {
      let call = try await user.json("/sos/history").episodes[0].calls[0]
      return call.withdrawnAt.text == nil ? nil : call
    }
    #expect(call.acknowledgedAt.text == nil)
    _ = try await eventually("the hanging up at the telephone") {
      number.events.last == "cancel 1" ? true : nil
    }
    #expect(number.events.count == 2 && number.events.last == "cancel 1", "\(number.events)")
    try await expectNothingLogged(in: system, of: user)
    await system.stop()
  }

  @Test(
    "sounds or commands of espeak-ng in a person's name are spoken as text",
    .tags(.SOS_6), .timeLimit(.minutes(4)))
  func markup() async throws {
    let gateway = try await Answerer(.answering)
    let system = try await TestSystem([
      "TRACKME_SIP_CONTACTS": "sip://127.0.0.1:\(gateway.port)", "TRACKME_DATA4HELP_REPLICAS": "1",
    ])
    let user = try await system.monitoredUser()
    func rename(_ name: String) async throws -> Outcome {
      try await user.post(
        "/settings/single/info", ["password": .text(People.password), "full_name": .text(name)]
      ).outcome
    }
    // A control character starts a command, and no name may contain one.
    #expect(try await rename("Anna \u{1}280S") == .malformed)
    #expect(try await rename("Anna [[m'E:n@m'E:n@m'E:n@]] <s/>Rossi") == .ok)
    let contact: JSONValue = [
      "name": "Ugo", "email": "ugo.by.voice@example.org", "phone": "+39 02 7654321",
    ]
    #expect(try await user.post("/sos/contacts", ["contacts": [contact]]).outcome == .ok)
    try await user.answer(
      true, asContact: "ugo.by.voice@example.org", of: system, naming: "Anna [[m")
    try await user.raiseHeartRate()
    let (entry, call) = try await eventually("the contact has heard it", within: .seconds(120)) {
      let entry = try await user.json("/sos/history").episodes[0]
      let call = entry.calls.items.first { $0.contact == "Ugo" && $0.acknowledgedAt.text != nil }
      return call.map { (entry, $0) }
    }
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    let recording = try await gateway.recording(ofCall: 1)
    let said = "Anna   m'E:n@m'E:n@m'E:n@    s/ Rossi"
    let taken = "Anna [[m'E:n@m'E:n@m'E:n@]] <s/>Rossi"
    let moments = Set([entry.dispatchedAt.text, call.calledAt.text].compactMap(\.self))
    var (asText, asSounds) = (0.0, 0.0)
    for moment in moments {
      let (clock, day) = try Self.clock(at: moment)
      func sentence(_ name: String) -> String {
        """
        Messaggio automatico. \(name) può essere in pericolo: il \(day) alle \(clock) è stato \
        chiamato soccorso. Posizione non nota.
        """
      }
      asText = max(asText, try await Self.likeness(of: recording, to: sentence(said)))
      asSounds = max(asSounds, try await Self.likeness(of: recording, to: sentence(taken)))
    }
    #expect(asText > 0.8, "\(asText), and \(asSounds) with the markup")
    #expect(asSounds < asText - 0.1, "the comparison tells one from the other")
    await system.stop()
  }

  /// The similarity of a recording to a sentence spoken at the same pace.
  private static func likeness(of recording: Sound, to sentence: String) async throws -> Double {
    let usual = try await Sound(saying: sentence, voice: "it", pace: 170).seconds
    let pace = usual <= 15 ? 170 : Int(170 * usual / 15 * 1.1) + 1
    let spoken = try await Sound(saying: sentence, voice: "it", pace: pace)
    return recording.likeness(to: spoken, at: 0.5)
  }

  /// A time as in the message to a contact: the installation's clock time and the day.
  private static func clock(at moment: String) throws -> (clock: String, day: String) {
    let seconds = try #require(TestTimes.seconds(moment))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Rome"))
    let parts = calendar.dateComponents(
      [.month, .day, .hour, .minute], from: Date(timeIntervalSince1970: seconds))
    let months = [
      "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
      "settembre", "ottobre", "novembre", "dicembre",
    ]
    let (minute, month) = (parts.minute ?? 0, months[(parts.month ?? 1) - 1])
    return (
      "\(parts.hour ?? 0):\(minute < 10 ? "0" : "")\(minute)", "\(parts.day ?? 0) \(month)"
    )
  }

  @Test("a telephone number is not called unless the operator allows it", .tags(.SOS_5))
  func number() async throws {
    let error = await #expect(throws: (any Error).self) {
      _ = try await TestSystem(["TRACKME_SIP_TARGET": "sip://127.0.0.1/112"])
    }
    #expect(error.map { "\($0)" }?.contains("TRACKME_SIP_NUMBERS") == true, "\(error as Any)")
  }

  /// The log contains the results of calls, but neither the number called nor the message.
  private func expectNothingLogged(in system: TestSystem, of user: SingleUser) async throws {
    // The supervisor copies the processes' lines into these files a moment later.
    var all = try await eventually("the end of a call in the log") {
      var all = ""
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(system.state)/logs") {
        let file = URL(filePath: "\(system.state)/logs/\(name)")
        all += String(decoding: try Data(contentsOf: file), as: UTF8.self)
      }
      return all.contains("voice call") ? all : nil
    }
    // A time of day may contain the digits of a latitude.
    all.replace(/"time":"[^"]*"/, with: "")
    for secret in ["7654321", "Latitudine", "45.4642", user.person.name, user.person.fiscalCode] {
      #expect(!all.contains(secret), "\(secret)")
    }
  }
}
