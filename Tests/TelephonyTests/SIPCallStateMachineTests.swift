import Operations
import Requirements
import Telephony
import Testing
import Time

@Suite("A call with baresip")
struct SIPCallStateMachineTests {
  private typealias Action = SIPCallStateMachine.Action

  private static func second(_ number: Int) -> MonotonicInstant {
    .zero + .seconds(number)
  }

  private static func machine() -> SIPCallStateMachine {
    SIPCallStateMachine(
      at: second(0), ringUntil: second(27), once: .seconds(10), whole: .seconds(32))
  }

  /// The actions after these lines, one a second.
  private static func actions(_ lines: String...) -> [Action] {
    var machine = machine()
    return lines.enumerated().map { machine.said($1, at: second($0)) }
  }

  private static let established = "trackme@host: Call established: sip:sos@host"
  private static let hungUp = "sip:sos@host: session closed: Connection reset by peer"

  @Test("baresip dials when ready, and plays once the call is picked up", .tags(.SOS_5))
  func order() {
    #expect(
      Self.actions(
        "baresip v1.0.0", "baresip is ready.", "call: SIP Progress: 180 Ringing (/)",
        Self.established, "aufile: loaded 96000 bytes")
        == [.wait, .dial, .wait, .speak, .wait])
  }

  @Test("sound before the call is picked up starts no message", .tags(.SOS_5))
  func earlySound() {
    #expect(
      Self.actions("baresip is ready.", "Call in-progress: sip:sos@host", "aufile: loaded 1 bytes")
        == [.dial, .wait, .wait])
  }

  @Test(
    "hanging up before the first repetition ends counts as unheard, later as heard",
    .tags(.SOS_5), arguments: [(9, false), (10, true), (31, true)])
  func heard(seconds: Int, isHeard: Bool) {
    var machine = Self.machine()
    for line in ["baresip is ready.", Self.established, "aufile: loaded 96000 bytes"] {
      _ = machine.said(line, at: Self.second(2))
    }
    let end = machine.said(Self.hungUp, at: Self.second(2 + seconds))
    #expect(end == .end(isHeard ? nil : .hungUp))
    #expect(machine.said(Self.hungUp, at: Self.second(60)) == .wait)
    #expect(machine.ended(at: Self.second(60)) == .wait)
  }

  @Test("hanging up on this side ends the call at any moment, once", .tags(.SOS_5))
  func withdrawn() {
    let lines = ["baresip is ready.", Self.established, "aufile: loaded 96000 bytes"]
    for count in 0...lines.count {
      var machine = Self.machine()
      for line in lines.prefix(count) { _ = machine.said(line, at: Self.second(2)) }
      #expect(machine.withdrawn() == .end(.withdrawn))
      #expect(machine.withdrawn() == .wait)
      #expect(machine.said(Self.hungUp, at: Self.second(60)) == .wait)
    }
  }

  @Test("a refusal has its reason", .tags(.SOS_5))
  func refused() {
    let reasons: [(String, VoiceFailure)] = [
      ("486 Busy Here", .busy), ("600 Busy Everywhere", .busy), ("603 Decline", .declined),
      ("480 Temporarily Unavailable", .notPickedUp), ("404 Not Found", .notReached),
      ("Connection refused", .notReached),
    ]
    for (reason, failure) in reasons {
      let end = Self.actions("baresip is ready.", "sip:sos@host: session closed: \(reason)").last
      #expect(end == .end(failure), "\(reason)")
    }
  }

  @Test("each stage has its timeout", .tags(.SOS_5))
  func deadlines() {
    var starting = Self.machine()
    #expect(starting.deadline == Self.second(5))
    #expect(starting.deadlinePassed(at: Self.second(5)) == .end(.telephoneBroken()))
    var ringing = Self.machine()
    _ = ringing.said("baresip is ready.", at: Self.second(1))
    #expect(ringing.deadline == Self.second(27))
    #expect(ringing.deadlinePassed(at: Self.second(27)) == .end(.notPickedUp))
    var mute = Self.machine()
    for line in ["baresip is ready.", Self.established] { _ = mute.said(line, at: Self.second(3)) }
    #expect(mute.deadline == Self.second(8))
    #expect(mute.deadlinePassed(at: Self.second(8)) == .end(.telephoneBroken()))
    var endless = Self.machine()
    for line in ["baresip is ready.", Self.established, "aufile: loaded 1 bytes"] {
      _ = endless.said(line, at: Self.second(3))
    }
    #expect(endless.deadline == Self.second(3 + 32 + 5))
    #expect(endless.deadlinePassed(at: Self.second(40)) == .end(nil))
  }

  @Test("a telephone process that exits by itself is broken, not answered", .tags(.SOS_5))
  func broken() {
    var machine = Self.machine()
    #expect(machine.ended(at: Self.second(1)) == .end(.telephoneBroken()))
  }
}

@Suite("Addresses of calls by voice")
struct SIPAddressTests {
  @Test("a setting is read as baresip dials it", .tags(.SOS_5))
  func read() {
    #expect(SIPAddress(url: "sip://pbx.example.org/sos")?.text == "sip:sos@pbx.example.org")
    #expect(SIPAddress(url: "sip://[2001:db8::1]:5070/sos")?.text == "sip:sos@[2001:db8::1]:5070")
    #expect(SIPHost(url: "sip://192.0.2.1:5060")?.text == "192.0.2.1:5060")
  }

  @Test("characters with a meaning for baresip or SIP are refused", .tags(.SOS_5))
  func refused() {
    let wrong = [
      "sip:sos@host", "sip://host", "sip://host/", "sip:///sos", "sip://host/a/b",
      "sip://host/sos;transport=tls", "sip://host/sos\n/quit", "sip://host:0/sos",
      "sip://host:70000/sos", "sip://host:x/sos", "sips://host/sos", "sip://ho st/sos",
      "sip://host/a@b", "sip://[2001:db8::1/sos", "sip://user@host/sos",
    ]
    for url in wrong { #expect(SIPAddress(url: url) == nil, "\(url)") }
    #expect(SIPHost(url: "sip://host/user") == nil)
  }

  @Test("digits are a telephone number, whatever separates them", .tags(.SOS_5))
  func numbers() throws {
    for user in ["112", "+39112", "0-6", "1.1.2", "2001", "*112#"] {
      let address = try #require(SIPAddress(url: "sip://host/\(user)"))
      #expect(address.isTelephoneNumber, "\(user)")
    }
    for user in ["sos", "sos2", "e112", "_1"] {
      let address = try #require(SIPAddress(url: "sip://host/\(user)"))
      #expect(!address.isTelephoneNumber, "\(user)")
    }
  }
}

@Suite("Settings of voice calls")
struct VoiceSettingsTests {
  private static func settings(_ variables: [String: String]) throws -> VoiceSettings {
    let (settings, _) = try Settings.load(
      arguments: [], environment: variables, readFile: { _ in nil })
    return try VoiceSettings(settings)
  }

  @Test("no calls are placed by default", .tags(.SOS_5, .SOS_6))
  func usual() throws {
    let settings = try Self.settings([:])
    #expect(settings.number == nil && settings.contacts == nil)
  }

  @Test("a telephone number is refused unless it is allowed", .tags(.SOS_5))
  func numbers() throws {
    let target = ["TRACKME_SIP_TARGET": "sip://pbx.example.org/112"]
    #expect {
      _ = try Self.settings(target)
    } throws: { error in
      "\(error)".contains("TRACKME_SIP_NUMBERS")
    }
    let allowed = try Self.settings(target.merging(["TRACKME_SIP_NUMBERS": "on"]) { $1 })
    #expect(allowed.number?.text == "sip:112@pbx.example.org")
    let other = try Self.settings(["TRACKME_SIP_TARGET": "sip://pbx.example.org/sos"])
    #expect(other.number?.text == "sip:sos@pbx.example.org")
  }

  @Test("an address of a different form is refused", .tags(.SOS_5, .SOS_6))
  func malformed() {
    for (name, value) in [
      ("TRACKME_SIP_TARGET", "sip://pbx.example.org"), ("TRACKME_SIP_TARGET", "tel:112"),
      ("TRACKME_SIP_CONTACTS", "sip://pbx.example.org/user"),
    ] {
      #expect(throws: SettingsError.self) { _ = try Self.settings([name: value]) }
    }
  }
}
