import Cryptography
import Domain
import Foundation
import Operations
import Requirements
import Synchronization
import TelephoneFixture
import Telephony
import Testing

@Suite("Calls by voice, to a telephone on loopback")
struct SIPTelephoneTests {
  private static let italian = """
    Emergenza sanitaria, messaggio automatico. Persona di 44 anni, caduta. Vicino a Milano. \
    Latitudine 45 virgola 46 42, longitudine 9 virgola 19 0 0.
    """
  private static let english = """
    Medical emergency, automatic message. A person of 44 years, a fall. Near Milano. \
    Latitude 45 point 46 42, longitude 9 point 19 0 0.
    """

  private static func call(
    _ sentence: String = italian, _ language: Language = .italian,
    contact: PhoneNumber? = nil, ringsFor: Duration = .seconds(20)
  ) -> VoiceCall {
    VoiceCall(
      id: .random(), number: 1, contact: contact, sentence: sentence, language: language,
      ringsFor: ringsFor)
  }

  @Test(
    "the callee hears the message three times, as espeak-ng speaks it",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func heard() async throws {
    let answerer = try await Answerer(.answering)
    let line = try TelephoneLine(to: answerer)
    let commands = Mutex<[String]>([])
    let outcome = await line.telephone.place(Self.call()) {
      commands.withLock { $0 += line.commands }
    }
    #expect(outcome == .answered, "\(line.said)")
    // The command line that other users of the machine see, once.
    #expect(
      commands.withLock { $0 } == ["/usr/bin/baresip -f \(line.directory)/baresip"])
    #expect(try await answerer.events(3) == ["invite 1 \(line.address)", "answer 1", "bye 1"])
    let recording = try await answerer.recording(ofCall: 1)
    let spoken = try await Sound(saying: Self.italian, voice: "it", pace: Speech.usualPace)
    let whole = 3 * spoken.seconds + 2.5
    #expect(abs(recording.seconds - whole) < whole / 10, "\(recording.seconds) s of \(whole) s")
    let other = try await Sound(
      saying: Self.italian.replacing("caduta", with: "tremore"), voice: "it",
      pace: Speech.usualPace)
    for repetition in 0..<3 {
      let start = 0.5 + Double(repetition) * (spoken.seconds + 1)
      let likeness = recording.likeness(to: spoken, at: start)
      #expect(likeness > 0.8, "repetition \(repetition): \(likeness)")
      let unlike = recording.likeness(to: other, at: start)
      #expect(unlike < 0.8, "another message passes as this one: \(unlike)")
    }
    line.expectNothingNotified(of: Self.italian)
  }

  @Test("an English message is spoken in English", .tags(.SOS_5), .timeLimit(.minutes(10)))
  func english() async throws {
    let answerer = try await Answerer(.early)
    // Sound before the call is picked up does not count as heard.
    let early = try TelephoneLine(to: answerer)
    #expect(
      await early.telephone.place(Self.call(ringsFor: .seconds(4)), whenPickedUp: {})
        == .unanswered)
    let patient = try await Answerer(.answering)
    let line = try TelephoneLine(to: patient)
    let outcome = await line.telephone.place(Self.call(Self.english, .english), whenPickedUp: {})
    #expect(outcome == .answered, "\(line.said)")
    let recording = try await patient.recording(ofCall: 1)
    let spoken = try await Sound(saying: Self.english, voice: "en-gb", pace: Speech.usualPace)
    #expect(recording.likeness(to: spoken, at: 0.5) > 0.8)
    let italian = try await Sound(saying: Self.italian, voice: "it", pace: Speech.usualPace)
    #expect(recording.likeness(to: italian, at: 0.5) < 0.5)
  }

  @Test(
    "busy, declining, hung up, ringing and unregistered telephones have not answered",
    .tags(.SOS_5), .timeLimit(.minutes(10)),
    arguments: [
      (Answerer.Manner.busy, "busy", false), (.declining, "declined", false),
      (.hangingUp, "hung up", true), (.ringing, "not picked up", false),
      (.silent, "not picked up", false),
    ])
  func unanswered(manner: Answerer.Manner, reason: String, isPickedUp: Bool) async throws {
    let answerer = try await Answerer(manner)
    let line = try TelephoneLine(to: answerer)
    let pickedUp = Mutex(false)
    let outcome = await line.telephone.place(Self.call(ringsFor: .seconds(30))) {
      pickedUp.withLock { $0 = true }
    }
    #expect(outcome == .unanswered)
    #expect(line.said.contains(reason), "\(line.said)")
    #expect(pickedUp.withLock { $0 } == isPickedUp)
    // It stops ringing only at the end of the call.
    if manner == .ringing { #expect(try await answerer.events(2).last == "cancel 1") }
    line.expectNothingNotified(of: Self.italian)
  }

  @Test(
    "a call can be hung up while it rings, while it is heard, and before a line is free",
    .tags(.SOS_5), .timeLimit(.minutes(10)),
    arguments: [(Answerer.Manner.ringing, "cancel 1"), (.answering, "bye 1")])
  func withdrawn(manner: Answerer.Manner, end: String) async throws {
    let answerer = try await Answerer(manner)
    let line = try TelephoneLine(to: answerer)
    let cancellation = CancellationToken()
    async let outcome = line.telephone.place(Self.call(ringsFor: .seconds(60)), until: cancellation)
    {
      cancellation.cancel()
    }
    try await answerer.waitForCall()
    // There is one line.
    async let second = line.telephone.place(Self.call(), until: cancellation) {}
    if manner == .ringing { cancellation.cancel() }
    #expect(await [outcome, second] == [.withdrawn, .withdrawn])
    #expect(try await answerer.events(manner == .ringing ? 2 : 3).last == end)
    #expect(answerer.events.filter { $0.hasPrefix("invite") }.count == 1)
    #expect(line.said.contains("withdrawn"), "\(line.said)")
    line.expectNothingNotified(of: Self.italian)
  }

  @Test("markup in a name is spoken as plain text", .tags(.SOS_5), .timeLimit(.minutes(10)))
  func plain() throws {
    #expect(
      Speech.plain("Zoë [[tEst]] <break time='9s'/> O'Neil\u{1}5s\u{85}.")
        == "Zoë   tEst    break time='9s'/  O'Neil 5s .")
    let name = "Anna [[h@l'oU h@l'oU h@l'oU]] Rossi"
    let speech = Speech()
    let marked = try speech.sound(of: "\(name) può essere in pericolo.", in: .italian)
    let spelled = try speech.sound(
      of: "Anna   h@l'oU h@l'oU h@l'oU   Rossi può essere in pericolo.", in: .italian)
    #expect(marked.duration == spelled.duration)
  }

  @Test(
    "a call to an unreachable address ends by itself", .tags(.SOS_5),
    .timeLimit(.minutes(10)))
  func unavailable() async throws {
    let gone = try await Answerer(.answering).port
    let line = try TelephoneLine(to: try #require(SIPAddress(url: "sip://127.0.0.1:\(gone)/sos")))
    let call = Self.call(ringsFor: .seconds(3))
    #expect(await line.telephone.place(call, whenPickedUp: {}) == .unanswered)
  }

  @Test(
    "without espeak-ng or baresip no call is placed, and the operator is warned", .tags(.SOS_5))
  func missing() async throws {
    let answerer = try await Answerer(.answering)
    for (programs, reason) in [
      (TelephoneLine.programs(espeak: "/nonexistent/espeak-ng"), "espeak-ng does not speak"),
      (TelephoneLine.programs(baresip: "/nonexistent/baresip"), "baresip does not dial"),
    ] {
      let line = try TelephoneLine(to: answerer, programs)
      #expect(line.said.contains("find telephone program failed"))
      #expect(line.said.contains("/nonexistent/"))
      #expect(await line.telephone.place(Self.call(), whenPickedUp: {}) == .unanswered)
      #expect(line.said.contains(reason), "\(line.said)")
      #expect(line.said.contains("No such file or directory"), "\(line.said)")
    }
    #expect(answerer.events.isEmpty)
  }

  @Test("a telephone that hangs is ended by force", .tags(.SOS_5), .timeLimit(.minutes(10)))
  func hanging() async throws {
    let address = try #require(SIPAddress(url: "sip://127.0.0.1:9/sos"))
    let line = try TelephoneLine(to: address, waitMax: .seconds(15)) { directory in
      let path = "\(directory)/hanging"
      try "#!/bin/sh\ntrap '' TERM HUP\necho $$ > \(directory)/pid\nread x\nread y\nread z\n"
        .write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      return TelephoneLine.programs(baresip: path)
    }
    #expect(await line.telephone.place(Self.call(), whenPickedUp: {}) == .unanswered)
    let text = try String(contentsOfFile: "\(line.directory)/pid", encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test("no more calls at the same time than there are lines", .tags(.SOS_5))
  func lines() async throws {
    let answerer = try await Answerer(.ringing)
    let line = try TelephoneLine(to: answerer)
    async let first = line.telephone.place(Self.call(ringsFor: .seconds(20)), whenPickedUp: {})
    try await answerer.waitForCall()
    // It receives the line long after its own ringing time.
    let second = await line.telephone.place(Self.call(ringsFor: .seconds(1)), whenPickedUp: {})
    #expect(await [first, second] == [.unanswered, .unanswered])
    #expect(answerer.events.filter { $0.hasPrefix("invite") }.count == 1)
    #expect(line.said.contains("all lines are taken"))
  }

  @Test("a contact is called through the gateway, and only with a telephone", .tags(.SOS_6))
  func contacts() async throws {
    let answerer = try await Answerer(.busy)
    let host = try #require(SIPHost("127.0.0.1:\(answerer.port)"))
    let line = try TelephoneLine(through: host)
    let number = try PhoneNumber("+39 02 123 4567")
    let call = Self.call(contact: number)
    #expect(await line.telephone.place(call, whenPickedUp: {}) == .unanswered)
    #expect(answerer.events == ["invite 1 sip:+39021234567@127.0.0.1:\(answerer.port)"])
    #expect(await line.telephone.place(Self.call(), whenPickedUp: {}) == .unanswered)
    #expect(line.said.contains("no telephone number"))
    #expect(!line.said.contains("1234567"))
  }
}
