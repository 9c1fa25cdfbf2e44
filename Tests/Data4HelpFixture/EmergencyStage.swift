import Domain
import Emergencies
import EventLoop
import Foundation
import PublicAPI
import Support
import Synchronization
import Telephony
import Testing
import Time

/// A fake telephone that records calls, with programmable outcomes.
package final class RecordedVoice: EmergencyVoice {
  /// The outcome of a call.
  package enum Manner: Sendable {
    case silent
    case heard
    /// The call is picked up, and heard until the outcome changes.
    case listening
    case hungUp
    /// It rings until this side hangs up.
    case ringing
  }

  private let recorded = Mutex<[VoiceCall]>([])
  private let hungUp = Mutex<Set<Int32>>([])
  private let chosen = Mutex(Manner.silent)
  private let loop: EventLoop

  package init(on loop: EventLoop) { self.loop = loop }

  package var calls: [VoiceCall] { recorded.withLock { $0 } }

  package var manner: Manner {
    get { chosen.withLock { $0 } }
    set { chosen.withLock { $0 = newValue } }
  }

  /// Makes the callee with this number hang up.
  package func hangUp(_ number: Int32) { hungUp.withLock { _ = $0.insert(number) } }

  package func place(
    _ call: VoiceCall, until cancellation: CancellationToken,
    whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    recorded.withLock { $0.append(call) }
    if manner == .listening { whenPickedUp() }
    while manner == .listening || manner == .ringing {
      if cancellation.isCancelled { return .withdrawn }
      if hungUp.withLock({ $0.contains(call.number) }) { return .unanswered }
      do throws(CancellationError) { try await loop.wait(for: .milliseconds(5)) } catch {
        return .unanswered
      }
    }
    return manner == .heard ? .answered : .unanswered
  }
}

/// Actions of people, devices and hospitals in emergencies.
extension SingleRequestStage {
  /// Mario is monitored, with one contact who has agreed; Laura is not.
  package func populateEmergencies() async throws {
    try await populate()
    try await enable()
    let contacts = "{\"contacts\":[{\"name\":\"Anna\",\"email\":\"anna@example.org\"}]}"
    #expect(try await call(.chooseContacts, contacts, by: Known.mario, .singleUser).status == 200)
    try agree()
    try run(
      """
      DELETE FROM data4help.mails; DELETE FROM data4help.emergency_contact_mails;
      DELETE FROM data4help.accesses; DELETE FROM data4help.access_heads;
      """)
    try await follow()
  }

  /// Makes all asked contacts agree.
  package func agree() throws { try run("UPDATE data4help.emergency_contacts SET state = 2") }

  /// Uploads values of these types from a device, measured some seconds ago.
  package func upload(
    _ samples: [(type: String, value: String, secondsAgo: Double)],
    by account: AccountID = Known.mario
  ) async throws {
    let now = clock.now
    func list(_ texts: [String]) -> String { texts.map { "\"\($0)\"" }.joined(separator: ",") }
    let times = samples.map { sample in
      now.adding(milliseconds: -Int64(sample.secondsAgo * 1000)).description
    }
    let body = """
      {"dataTypes":[\(list(samples.map(\.type)))],"values":[\(list(samples.map(\.value)))],\
      "timestamp":[\(list(times))]}
      """
    #expect(try await call(.upload, body, by: account, .singleUser).status == 200)
  }

  package func enable(_ account: AccountID = Known.mario) async throws {
    let reply = try await call(
      .enableSOS, "{\"callPermission\":true}", by: account, .singleUser)
    #expect(reply.status == 200)
    try await follow()
  }

  /// Makes this replica read the changes of others.
  package func follow() async throws {
    try await here { [self] in try await sosFollower.value.follow() }
  }

  /// Advances the stages that are due, until none is; returns their number.
  @discardableResult
  package func turn() async throws -> Int {
    try await here { [self] in
      var count = 0
      while true {
        let moved = try await sosScheduler.value.turn()
        if moved == 0 { return count }
        count += moved
      }
    }
  }

  /// Uploads one value from a device, measured now.
  package func measure(
    _ value: String, _ type: String = "heartRate", by account: AccountID = Known.mario
  ) async throws {
    let body = """
      {"dataTypes":["\(type)"],"values":["\(value)"],"timestamp":["\(clock.now)"]}
      """
    #expect(try await call(.upload, body, by: account, .singleUser).status == 200)
  }

  /// Waits for the first `count` stages reported to Mario, in their order.
  package func stages(_ count: Int, of account: AccountID = Known.mario) async throws -> [String] {
    var stages: [String] = []
    try await eventually("\(count) stages", within: .seconds(120), every: .milliseconds(5)) {
      stages = try await notified(account)
      return stages.count >= count
    }
    return stages
  }

  private func notified(_ account: AccountID) async throws -> [String] {
    let page = try await notices(of: account, .singleUser, "limit=500")
    return page.list("items").reversed().compactMap {
      ($0["data"] as? [String: Any])?["stage"] as? String
    }
  }

  /// Raises an emergency of Mario's and confirms it 3 s later; returns its identifier.
  package func confirmedEmergency() async throws -> String {
    try await measure("131")
    #expect(try await stages(1) == ["suspected"])
    clock.advance(seconds: 3)
    try await measure("132")
    #expect(try await stages(2) == ["suspected", "confirmed"])
    return try await emergencies()[0]["episodeID"] as? String ?? ""
  }

  /// The same, after its window, when help was called.
  package func calledEmergency() async throws -> String {
    let emergency = try await confirmedEmergency()
    clock.advance(seconds: 2)
    try await turn()
    return emergency
  }

  package func emergencies(of account: AccountID = Known.mario) async throws -> [[String: Any]] {
    let reply = try await call(.emergencies, by: account, .singleUser)
    #expect(reply.status == 200)
    return reply.list("episodes")
  }

  /// The calls to hospitals and the emergency number in an entry of the history; contacts, who
  /// receive mails and calls in parallel, are left out.
  package static func calls(in entry: [String: Any]) -> [[String: Any]] {
    (entry["calls"] as? [[String: Any]] ?? []).filter { $0["contact"] == nil }
  }

  package func act(
    _ endpoint: Endpoint, _ emergency: String, by account: AccountID, _ kind: AccountKind,
    _ more: String = ""
  ) async throws -> Int {
    try await call(endpoint, "{\"episodeID\":\"\(emergency)\"\(more)}", by: account, kind).status
  }

  /// Approves a company as a hospital and puts it on duty.
  package func hospital(_ account: AccountID, at coordinate: String, approved: Bool = true)
    async throws
  {
    if approved {
      try run(
        """
        INSERT INTO data4help.hospitals (account_id, approved_at, changed_at)
        VALUES (\(account), now(), now())
        """)
    }
    let reply = try await call(
      .chooseDuty, "{\"onDuty\":true,\"coordinate\":\"\(coordinate)\"}", by: account, .thirdParty)
    #expect(reply.status == (approved ? 200 : 403))
  }

  /// The events of a hospital's sequence.
  package func notified(hospital: AccountID) async throws -> [[String: Any]] {
    let reply = try await call(.thirdPartyEvents, by: hospital, .thirdParty)
    #expect(reply.status == 200)
    return reply.list("events").filter { ($0["type"] as? String)?.hasPrefix("sos.") == true }
  }
}
