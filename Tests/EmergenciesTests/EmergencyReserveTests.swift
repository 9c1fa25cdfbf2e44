import Data4HelpFixture
import Domain
import EventLoop
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Synchronization
import Testing

/// A statement whose only purpose is that its transaction holds a connection. It takes a moment, so
/// that the transaction is never idle for long: the server would end it.
private struct KeepConnection: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = "SELECT 1 FROM pg_sleep(0.02)"
}

/// Transactions that hold every connection used for ordinary writes by a replica.
private final class KeptConnections: Sendable {
  private let state = Mutex((taken: 0, isOver: false))
  private let stage: SingleRequestStage

  init(_ stage: SingleRequestStage) { self.stage = stage }

  /// Runs `body` while all connections are taken.
  func run(_ body: () async throws -> Void) async throws {
    let count = DatabaseSettings(url: "", applicationName: "").writeConnections
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { [self] in try await stage.here { [self] in try await keep() } }
      }
      do {
        defer { state.withLock { $0.isOver = true } }
        try await eventually("\(count) held connections", within: .seconds(120)) {
          state.withLock { $0.taken } >= count
        }
        try await body()
      }
      try await group.waitForAll()
    }
  }

  private func keep() async throws(ApplicationError) {
    try await stage.parts.database.transaction(within: .seconds(600)) {
      (transaction) throws(ApplicationError) in
      _ = try await transaction.run(KeepConnection())
      state.withLock { $0.taken += 1 }
      while !state.withLock({ $0.isOver }) { _ = try await transaction.run(KeepConnection()) }
    }
  }
}

@Suite("Connections reserved for emergencies")
struct EmergencyReserveTests {
  @Test(
    "without free ordinary connections people are warned, can abort, and help is called",
    .tags(.SOS_2))
  func reserved() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      let upload = Mutex<Task<Int, any Error>?>(nil)
      let body = """
        {"dataTypes":["heartRate"],"values":["131"],"timestamp":["\(stage.clock.now)"]}
        """
      try await KeptConnections(stage).run {
        // It is judged, but stored only after a connection is free.
        upload.withLock {
          $0 = Task { try await stage.call(.upload, body, by: Known.mario, .singleUser).status }
        }
        #expect(try await stage.stages(1) == ["suspected"])
        #expect(try await stream.events(1).map(\.name) == ["alarm"])
        let first = try await stage.emergencies()[0]["episodeID"] as? String ?? ""
        #expect(try await stage.act(.abortEmergency, first, by: Known.mario, .singleUser) == 200)
        let second = try await Self.raiseFall(stage)
        for seconds in [30, 5] {
          stage.clock.advance(seconds: Int64(seconds))
          try await stage.turn()
        }
        #expect(
          try stage.cell("SELECT hospital_id FROM data4help.emergency_calls")
            == Known.studio.description)
        #expect(try await stage.act(.acknowledgeCall, second, by: Known.studio, .thirdParty) == 200)
      }
      #expect(try await upload.withLock { $0 }?.value == 200)
      stream.close()
    }
  }

  @Test(
    "while nothing else can be stored, hospitals receive their callbacks and streams",
    .tags(.SOS_2, .SOS_5))
  func hospitals() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        for company in [Known.studio, Known.clinic] {
          try await stage.hospital(company, at: "45.46,9.19")
        }
        let callback = "{\"url\":\"\(endpoint.url)\"}"
        #expect(
          try await stage.call(.storeCallback, callback, by: Known.studio, .thirdParty).status
            == 200)
        let stream = try await stage.open(
          .thirdPartyStream, by: Known.clinic, .thirdParty, after: 0)
        try await KeptConnections(stage).run {
          let emergency = try await Self.raiseFall(stage)
          for seconds in [30, 5, 30] {
            stage.clock.advance(seconds: Int64(seconds))
            try await stage.turn()
          }
          try await stage.here {
            // Calls of ordinary third parties do not affect it.
            let taken = try await stage.hospitalCallbacks.value.claim()
            #expect(taken == 1)
            await stage.hospitalCallbacks.value.settle()
          }
          let calls = try await endpoint.calls(1)
          #expect(calls.map(\.id) == ["sos_\(emergency)"])
          #expect(try await stream.events(1).map(\.name) == ["sos.called"])
        }
        stream.close()
        #expect(try await stage.here { try await stage.callbacks.value.claim() } == 0)
      }
    }
  }

  @Test(
    "while downloads have all turns and connections, a hospital reads its calls by number",
    .tags(.SOS_2, .SOS_5))
  func page() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      _ = try await stage.calledEmergency()
      let downloads = Mutex<[Task<Int, any Error>]>([])
      try await KeptConnections(stage).run {
        // The first one has the turn and waits for a connection, before the request is read.
        for _ in 0..<2 {
          let download = Task {
            try await stage.data("6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968", by: Known.studio).status
          }
          downloads.withLock { $0.append(download) }
        }
        try await eventually("a download that waits for its turn", within: .seconds(120)) {
          try await stage.here { stage.parts.sharing.turns.waiting } > 0
        }
        let events = try await stage.notified(hospital: Known.studio)
        #expect(events.map { $0["type"] as? String } == ["sos.called"])
      }
      for download in downloads.withLock({ $0 }) { #expect(try await download.value != 200) }
    }
  }

  @Test(
    "a third party counts as ordinary unless its next callback is about an emergency",
    .tags(.SOS_2))
  func lanes() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        try await stage.hospital(Known.clinic, at: "45.46,9.19")
        let callback = "{\"url\":\"\(endpoint.url)\"}"
        #expect(
          try await stage.call(.storeCallback, callback, by: Known.clinic, .thirdParty).status
            == 200)
        func claimed() async throws -> [Int] {
          try await stage.here {
            var counts: [Int] = []
            for lane in [stage.callbacks, stage.hospitalCallbacks] {
              counts.append(try await lane.value.claim())
              await lane.value.settle()
            }
            return counts
          }
        }
        _ = try await stage.calledEmergency()
        let requestID = try await stage.subscribe()
        _ = try await stage.choose("accept", requestID)
        #expect(try await claimed() == [0, 1])
        #expect(try await claimed() == [1, 0])
        let types = endpoint.calls.map(\.type)
        #expect(types.first == "sos.called" && types.last == "request.answered", "\(types)")
      }
    }
  }

  @Test(
    "types for which a device was not paired raise nothing, not even in its first upload",
    .tags(.DAT_3))
  func unpairedDevice() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      func bring(_ endpoint: Endpoint, _ body: String) async throws -> Int {
        try await stage.call(
          endpoint, body, by: Known.mario, .singleUser,
          fields: [(InternalField.bearer.description, "3")]
        ).status
      }
      let upload = """
        {"dataTypes":["heartRate"],"values":["131"],"timestamp":["\(stage.clock.now)"]}
        """
      #expect(try await bring(.upload, upload) == 403)
      let alert = """
        {"rule":"heartRateHigh","readings":[{"dataType":"heartRate","value":"131",\
        "timestamp":"\(stage.clock.now)"}]}
        """
      #expect(try await bring(.raiseAlert, alert) == 403)
      // The person may raise it, and the earlier attempt would be stored by now.
      let own = try await stage.call(
        .raiseAlert, alert.replacing("131", with: "100"), by: Known.mario, .singleUser)
      #expect(own.status == 409)
      #expect(try await stage.emergencies().isEmpty)
    }
  }

  @Test("a device's first upload is judged while its types can't be looked up")
  func unknownDevice() async throws {
    try await SingleRequestStage.with(lookMax: .milliseconds(300)) { stage in
      try await stage.populateEmergencies()
      let holder = try stage.installation.data.session()
      try holder.run("BEGIN; LOCK TABLE data4help.devices")
      let body = """
        {"dataTypes":["heartRate"],"values":["131"],"timestamp":["\(stage.clock.now)"]}
        """
      async let reply = stage.call(
        .upload, body, by: Known.mario, .singleUser,
        fields: [(InternalField.bearer.description, "3")])
      #expect(try await stage.stages(1) == ["suspected"])
      try holder.run("COMMIT")
      // There is no such device, so no sample is stored.
      #expect(try await reply.status == 403)
    }
  }

  private static func raiseFall(_ stage: SingleRequestStage) async throws -> String {
    let alert = """
      {"rule":"fall","readings":[{"dataType":"fall","value":"1",\
      "timestamp":"\(stage.clock.now)"}]}
      """
    let raised = try await stage.call(.raiseAlert, alert, by: Known.mario, .singleUser)
    #expect(raised.status == 200)
    return try #require(raised["episodeID"])
  }
}
