import Data4HelpFixture
import Domain
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing
import Time

@Suite("Races of single requests")
struct SingleRequestRaceTests {
  private enum Move: CaseIterable {
    case accept, decline, endByPerson, endByCompany, expire
  }

  @Test(
    "one of 200 concurrent answers, ends and expiries decides", .tags(.R13, .R21, .REQ_1))
  func oneOutcome() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      // A second replica whose clock is past the answer time.
      try await SingleRequestStage.replica(of: stage.installation) { late in
        late.clock.advance(seconds: 259_200)
        for _ in 0..<4 { try await race(stage, late) }
      }
    }
  }

  private func race(_ stage: SingleRequestStage, _ late: SingleRequestStage) async throws {
    let requestID = try await stage.subscribe()
    var random = SeededRandom()
    let seed = random.seed
    var moves = (0..<200).map { Move.allCases[$0 % Move.allCases.count] }
    moves.shuffle(using: &random)
    let won = try await withThrowingTaskGroup(of: (Move, Bool).self) { group in
      for move in moves {
        group.addTask {
          let isWon: Bool
          switch move {
          case .accept: isWon = try await stage.choose("accept", requestID).status == 200
          case .decline: isWon = try await stage.choose("decline", requestID).status == 200
          case .endByPerson: isWon = try await stage.endByPerson(requestID).status == 200
          case .endByCompany: isWon = try await stage.endByCompany(requestID).status == 200
          case .expire: isWon = try await late.here { try await late.workers.expire() } > 0
          }
          return (move, isWon)
        }
      }
      var won: [Move] = []
      for try await (move, isWon) in group where isWon { won.append(move) }
      return won
    }
    let answers = won.filter { [.accept, .decline, .expire].contains($0) }
    #expect(answers.count == 1, "seed \(seed)")
    let ends = won.filter { [.endByPerson, .endByCompany].contains($0) }
    #expect(ends.count <= (answers == [.accept] ? 1 : 0), "seed \(seed)")
    let expected =
      switch (answers.first, ends.first) {
      case (.accept, nil): "accepted"
      case (.accept, _): "ended"
      case (.decline, _): "declined"
      default: "expired"
      }
    #expect(try await stage.status(requestID) == expected, "seed \(seed)")
    let entries = try stage.installation.data.session().rows(
      "SELECT count(*) FROM data4help.third_party_log WHERE request_id = $1::uuid AND kind = 1",
      [requestID])
    #expect(entries == [[answers == [.accept] ? "1" : "0"]], "seed \(seed)")
    if expected == "accepted" { _ = try await stage.endByCompany(requestID) }
  }

  @Test(
    "a subscriber reading while 16 devices upload receives every sample once",
    .tags(.R19, .REQ_2))
  func nothingLost() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(5)
      let requestID = try await stage.subscribe()
      let other = try await stage.subscribe(by: Known.studio)
      for identifier in [requestID, other] { _ = try await stage.choose("accept", identifier) }
      try await SingleRequestStage.replica(of: stage.installation) { second in
        try await stage.here { stage.workers.start() }
        let uploads = Uploads(stage: stage, second: second)
        async let reading = read(requestID, on: second, until: uploads)
        try await uploads.run()
        let delivered = try await reading
        try await stage.here { await stage.workers.stop() }
        check(delivered, against: uploads)
        // Another subscriber reads the same from the start, under its own numbers.
        let again = try await read(other, on: stage, by: Known.studio, until: nil)
        check(again, against: uploads)
      }
    }
  }

  /// Reads with the cursor until all uploads have arrived, and once more.
  private func read(
    _ requestID: String, on stage: SingleRequestStage, by company: AccountID = Known.clinic,
    until uploads: Uploads?
  ) async throws -> [Delivered] {
    var delivered: [Delivered] = []
    var cursor: String?
    while true {
      let isLast = await uploads?.areDone ?? true
      if isLast { _ = try await stage.here { try await stage.workers.relay() } }
      let page = try await stage.data(requestID, cursor: cursor, by: company)
      delivered += page.list("samples").map(Delivered.init)
      cursor = try page.next
      if isLast, page.numbers.isEmpty { return delivered }
    }
  }

  private func check(_ delivered: [Delivered], against uploads: Uploads) {
    #expect(delivered.count == uploads.total)
    #expect(zip(delivered, delivered.dropFirst()).allSatisfy { $0.number < $1.number })
    #expect(Set(delivered.map(\.content)).count == uploads.total)
  }
}

/// A sample as received by a subscriber.
private struct Delivered: Sendable {
  let number: Int
  let content: String

  init(_ sample: [String: Any]) {
    number = sample["seq"] as? Int ?? 0
    content = "\(sample["timestamp"] ?? "") \(sample["value"] ?? "")"
  }
}

/// Sixteen devices that upload to two replicas, one sample or a few at a time.
private actor Uploads {
  private let stage: SingleRequestStage
  private let second: SingleRequestStage
  private(set) var areDone = false

  static let devices = 16
  static let each = 12

  init(stage: SingleRequestStage, second: SingleRequestStage) {
    self.stage = stage
    self.second = second
  }

  /// Including the five stored before.
  nonisolated var total: Int { 5 + Self.devices * Self.each * 3 }

  func run() async throws {
    let (stage, second) = (stage, second)
    try await withThrowingTaskGroup { group in
      for device in 0..<Self.devices {
        let replica = device % 2 == 0 ? stage : second
        group.addTask { try await replica.here { try await Self.upload(device, to: replica) } }
      }
      try await group.waitForAll()
    }
    areDone = true
  }

  private static func upload(_ device: Int, to stage: SingleRequestStage) async throws {
    for round in 0..<each {
      let samples = try (0..<3).map { index in
        let number = Int64((device * each + round) * 3 + index)
        return NewSample(
          type: .heartRate, time: stage.clock.now.adding(milliseconds: -1 - 7 * number),
          value: try SampleValue(Double(50 + number % 100), of: .heartRate))
      }
      _ = try await stage.samples.upload(samples, to: Known.mario)
    }
  }
}
