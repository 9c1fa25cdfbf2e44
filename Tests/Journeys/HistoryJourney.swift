import Foundation
import Requirements
import Support
import Synchronization
import Testing

@Suite("The history of deliveries, while replicas are killed", .serialized)
struct HistoryJourney {
  private static let partyCount = 3
  private static let userCount = 4
  private static let crashes = 4

  @Test(
    "no sample is lost, duplicated or sent after an end, by any transport",
    .tags(.REQ_2, .R21, .NFR_4), .timeLimit(.minutes(10)))
  func history() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let receiver = try await Receiver()
    defer { receiver.stop() }
    let system = try await TestSystem([
      "TRACKME_CALLBACK_AUTHORITIES": receiver.certificate
    ])
    let scene = try await DeliveryScene(
      system, receiver, users: Self.userCount, parties: Self.partyCount, seed: seed)
    let writing = Writers()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in 0..<Self.userCount {
        for writer in 0..<2 {
          writing.join()
          group.addTask {
            defer { writing.leave() }
            try await scene.upload(as: user, writer, until: writing)
          }
        }
      }
      for party in 0..<Self.partyCount {
        group.addTask { try await scene.readOn(as: party, until: writing) }
      }
      group.addTask {
        for round in 0..<Self.crashes {
          let name = "data4help-\((Int(truncatingIfNeeded: seed) & 1 + round) % 2 + 1)"
          let former = try system.member(name).process.int
          try system.crash(name)
          // The person of the third party's last request ends it while a replica is down.
          try await scene.end(round)
          try await system.waitUntilReplaced(name, former)
          try await pause(.milliseconds(500))
        }
        writing.end()
      }
      try await group.waitForAll()
    }
    let history = try await scene.complete()
    let violations = history.violations()
    #expect(violations.isEmpty, "seed \(seed): \(violations.prefix(10)), \(violations.count)")
    #expect(history.uploads.count > 20, "seed \(seed)")
    #expect(history.ends.count == Self.crashes, "seed \(seed)")
    #expect(scene.reconnections > 0, "seed \(seed)")
    await system.stop()
  }
}

/// Whether the writers continue, and how many of them are still busy with their last upload.
final class Writers: Sendable {
  private let over = Atomic(false)
  private let writing = Atomic(0)
  /// Whether no further upload is started.
  var areDone: Bool { over.load(ordering: .acquiring) }
  /// Whether, in addition, all uploads of the participants are recorded.
  var haveLeft: Bool { areDone && writing.load(ordering: .acquiring) == 0 }
  func end() { over.store(true, ordering: .releasing) }
  func join() { writing.add(1, ordering: .relaxed) }
  func leave() { writing.subtract(1, ordering: .releasing) }
}

/// People who upload, and third parties that each follow all of them by all transports.
private final class DeliveryScene: Sendable {
  private let users: [SingleUser]
  private let parties: [ThirdParty]
  private let receiver: Receiver
  private let streams: [EventReader]
  private let requests: [[String]]
  private let gathered: Mutex<DeliveryHistory>
  private let random: Mutex<SeededRandom>

  init(
    _ system: TestSystem, _ receiver: Receiver, users userCount: Int, parties partyCount: Int,
    seed: UInt64
  ) async throws {
    self.receiver = receiver
    random = Mutex(SeededRandom(seed: seed))
    var users: [SingleUser] = []
    for _ in 0..<userCount {
      let user = try await system.singleUser()
      try await user.upload("heartRate", [("2024-01-01T00:00:00Z", 60)])
      users.append(user)
    }
    var history = DeliveryHistory()
    var parties: [ThirdParty] = []
    var streams: [EventReader] = []
    var requests: [[String]] = []
    for index in 0..<partyCount {
      let party = try await system.thirdParty()
      parties.append(party)
      let registered = try await party.post(
        "/req/tp/callback", ["url": .text(receiver.url + "/party\(index)")])
      try #require(registered.outcome == .ok, "\(registered.text)")
      streams.append(try EventReader("/req/tp/stream", party.token, of: system))
      var own: [String] = []
      for (number, user) in users.enumerated() {
        let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
        let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
        try #require(try await user.post("/req/single/choice", choice).status == 200)
        history.requests[request] = (number, index, Date().timeIntervalSince1970)
        own.append(request)
      }
      requests.append(own)
    }
    (self.users, self.parties, self.streams, self.requests) = (users, parties, streams, requests)
    gathered = Mutex(history)
  }

  /// How often streams were reopened.
  var reconnections: Int { streams.map { $0.begun - 1 }.reduce(0, +) }

  /// Uploads samples in sequence, each with a unique time; retries a failed upload under the same
  /// key.
  func upload(as user: Int, _ writer: Int, until writing: Writers) async throws {
    var second = 0
    while !writing.areDone, second < 1_800 {
      let clock = [second / 60, second % 60].map { String(String(100 + $0).dropFirst()) }
      let time = "2024-01-\(10 + user)T1\(writer):\(clock[0]):\(clock[1])Z"
      let body: JSONValue = [
        "dataTypes": ["heartRate"], "values": [.number(Double(60 + second % 40))],
        "timestamp": [.text(time)],
      ]
      let sent = Date().timeIntervalSince1970
      let key = UUID().uuidString
      let reply = try await users[user].postUntilServed("/data/upload", body, key: key)
      try #require(reply.outcome == .ok, "\(reply.text)")
      gathered.withLock {
        $0.uploads.append(
          DeliveryHistory.Upload(
            sample: "\(user) \(time)", user: user, sent: sent,
            acknowledged: Date().timeIntervalSince1970))
      }
      second += 1
      let rest = random.withLock { random in Int64.random(in: 0..<600, using: &random) }
      try await pause(.milliseconds(300 + rest))
    }
  }

  /// Polls by number until the end of the sequence once the writers have left. Ends 100 s later if
  /// something is still missing then, which `complete` finds.
  func readOn(as party: Int, until writing: Writers) async throws {
    var since = 0
    var end: ContinuousClock.Instant?
    while true {
      let isLast = writing.haveLeft
      if isLast, end == nil { end = .now + .seconds(100) }
      let (asked, reply) = try await eventually("the events after \(since)") {
        () async throws -> (Double, Reply)? in
        let asked = Date().timeIntervalSince1970
        let reply = try await parties[party].get("/req/tp/events?since=\(since)")
        return reply.mustBeRepeated ? nil : (asked, reply)
      }
      try #require(reply.outcome == .ok, "\(reply.text)")
      let time = Date().timeIntervalSince1970
      for event in reply.json.events.items { take(event, party, .events, 0, asked, time) }
      since = reply.json.next.int ?? since
      if isLast, reply.json.events.items.isEmpty, isComplete(.events, party) { return }
      if let end, end < .now { return }
      try await pause(.milliseconds(20))
    }
  }

  /// Ends one of a third party's requests by its user.
  func end(_ round: Int) async throws {
    let party = round % parties.count
    let request = requests[party][round / parties.count]
    let user = round / parties.count
    let asked = Date().timeIntervalSince1970
    let key = UUID().uuidString
    let reply = try await users[user].postUntilServed(
      "/req/single/end", ["reqID": .text(request)], key: key)
    try #require(reply.outcome == .ok, "\(reply.text)")
    let answered = Date().timeIntervalSince1970
    gathered.withLock { $0.ends[request] = DeliveryHistory.End(asked: asked, answered: answered) }
  }

  private func take(
    _ event: JSONValue, _ party: Int, _ transport: DeliveryHistory.Transport, _ connection: Int,
    _ left: Double, _ time: Double
  ) {
    guard let receipt = Self.receipt(event, party, transport, connection, left, time) else {
      return
    }
    gathered.withLock { $0.receipts.append(receipt) }
  }

  private static func receipt(
    _ event: JSONValue, _ party: Int, _ transport: DeliveryHistory.Transport, _ connection: Int,
    _ left: Double, _ time: Double
  ) -> DeliveryHistory.Receipt? {
    guard let number = event.seq.int else { return nil }
    var samples: [Int: String] = [:]
    for sample in event["data"].samples.items {
      guard let own = sample.seq.int, let time = sample.timestamp.text else { continue }
      let text = time.replacing(".000Z", with: "Z")
      guard let user = Int(text.dropFirst(8).prefix(2)).map({ $0 - 10 }) else { continue }
      // The first sample of each person was stored before and is ignored.
      samples[own] = "\(user) \(text)"
    }
    return DeliveryHistory.Receipt(
      party: party, transport: transport, connection: connection, number: number,
      request: event["data"].reqID.text ?? "", samples: samples, left: left, time: time)
  }

  /// Whether this transport has delivered all required samples.
  private func isComplete(_ transport: DeliveryHistory.Transport, _ party: Int) -> Bool {
    var history = gathered.withLock { $0 }
    history.receipts.removeAll { $0.party != party || $0.transport != transport }
    history.requests = history.requests.filter { $0.value.party == party }
    return !history.violations().contains { $0.hasSuffix("lost by \(transport.rawValue)") }
  }

  /// The whole history, once every transport has delivered the required samples, or at the timeout.
  func complete() async throws -> DeliveryHistory {
    var history = gathered.withLock { $0 }
    // Continues as long as more data arrives.
    var (end, count) = (ContinuousClock.now, -1)
    while true {
      var whole = history
      for (party, stream) in streams.enumerated() {
        whole.receipts += stream.events.compactMap {
          Self.receipt($0.data, party, .stream, $0.connection, $0.connectedAt, $0.time)
        }
        for call in try receiver.calls(to: "/party\(party)") {
          guard let body = call.body.text, let time = call.at.number,
            let left = call.timestamp.text.flatMap({ Double($0) })
          else { continue }
          if let receipt = Self.receipt(
            try JSONValue(Array(body.utf8)), party, .callback, 0, left, time)
          {
            whole.receipts.append(receipt)
          }
        }
      }
      if whole.receipts.count > count {
        (end, count) = (ContinuousClock.now + .seconds(100), whole.receipts.count)
      }
      let isLost = whole.violations().contains { $0.contains("was lost by") }
      if !isLost || ContinuousClock.now > end {
        history = whole
        break
      }
      try await pause(.milliseconds(500))
    }
    for stream in streams { stream.stop() }
    return history
  }
}
