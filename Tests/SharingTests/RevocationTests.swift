import Data4HelpFixture
import Domain
import EventLoop
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Synchronization
import Testing

@Suite("Deliveries during the end of a request")
struct RevocationTests {
  @Test(
    "a hanging call is aborted before the user's end is answered, at any replica",
    .tags(.R21))
  func callback() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        let requestID = try await stage.follow(endpoint)
        try await stage.watched {
          try await stage.here { stage.callbacks.value.endRevokedCalls() }
          endpoint.answer { _ in .hang }
          #expect(try await stage.callOnce() == 1)
          _ = try await endpoint.calls(1)
          try await SingleRequestStage.replica(of: stage.installation) { other in
            let end = try await other.endByPerson(requestID)
            #expect(end.status == 200)
          }
          // The lease was released: no call is in progress, and the end comes next.
          try await stage.here { await stage.callbacks.value.settle() }
          endpoint.answer { _ in .status(200) }
          #expect(try await stage.callOnce() == 1)
          try await stage.here { await stage.callbacks.value.settle() }
          #expect(
            endpoint.calls.map(\.type) == ["data.created", "request.answered", "request.ended"])
          #expect(try stage.cell("SELECT attempts FROM data4help.callbacks") == "0")
        }
      }
    }
  }

  @Test("an end neither waits for nor aborts calls of another request", .tags(.R21))
  func others() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        let other = try await stage.subscribe()
        #expect(try await stage.choose("accept", other).status == 200)
        try await stage.watched {
          try await stage.here { stage.callbacks.value.endRevokedCalls() }
          endpoint.answer { _ in .hang }
          #expect(try await stage.callOnce() == 1)
          _ = try await endpoint.calls(1)
          #expect(try await stage.endByPerson(other).status == 200)
          endpoint.answer { _ in .status(200) }
          endpoint.release()
          try await stage.here { await stage.callbacks.value.settle() }
          #expect(endpoint.calls.first?.type == "data.created")
          let calls = try await endpoint.calls(3)
          #expect(Set(calls.map(\.id)).count == calls.count)
        }
      }
    }
  }

  @Test(
    "no stream, read or call delivers a sample of a request after its end was answered", .tags(.R21)
  )
  func concurrent() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        try await stage.store(2)
        #expect(try await stage.register(endpoint).status == 200)
        try await SingleRequestStage.replica(of: stage.installation) { other in
          try await stage.watched {
            try await other.watched {
              for round in 0..<6 { try await Self.round(round, stage, other, endpoint) }
            }
          }
        }
      }
    }
  }

  /// Streams of both replicas and the endpoint follow while samples arrive; then the person ends
  /// the request.
  private static func round(
    _ round: Int, _ stage: SingleRequestStage, _ other: SingleRequestStage,
    _ endpoint: CallbackReceiver
  ) async throws {
    let requestID = try await stage.subscribe()
    #expect(try await stage.choose("accept", requestID).status == 200)
    var streams: [CollectedStream] = []
    for replica in [stage, other, stage, other] {
      streams.append(try await replica.open(.thirdPartyStream, by: Known.clinic, .thirdParty))
      try await replica.here { replica.callbacks.value.endRevokedCalls() }
    }
    let writing = Writing()
    let opened = streams
    let counts = try await withThrowingTaskGroup(of: [Int].self) { group in
      for (index, replica) in [stage, other].enumerated() {
        group.addTask {
          var count = 0
          while !writing.isOver, !Task.isCancelled {
            let minutes = Int64(11 + round * 20_000 + count * 2 + index)
            _ = try await replica.here { try await replica.store(1, minutesAgo: minutes) }
            _ = try await replica.here { try await replica.workers.relay() }
            _ = try await replica.callOnce()
            count += 1
          }
          return []
        }
      }
      group.addTask {
        for stream in opened { _ = try await stream.events(3) }
        let end = try await (round % 2 == 0 ? other : stage).endByPerson(requestID)
        #expect(end.status == 200)
        return try await Self.counts(requestID, opened, endpoint)
      }
      var counts: [Int] = []
      for try await found in group where !found.isEmpty {
        counts = found
        // Samples keep arriving until both replicas have relayed and called again.
        for replica in [stage, other] {
          _ = try await replica.here { try await replica.workers.relay() }
          try await replica.here { await replica.callbacks.value.settle() }
        }
        writing.end()
      }
      return counts
    }
    for stream in streams {
      try await Self.waitForEnd(of: requestID, stream)
    }
    #expect(try await Self.counts(requestID, streams, endpoint) == counts)
    for stream in streams { stream.close() }
  }

  /// The number of events with samples of this request that each receiver has.
  private static func counts(
    _ requestID: String, _ streams: [CollectedStream], _ endpoint: CallbackReceiver
  ) async throws -> [Int] {
    var counts: [Int] = []
    for stream in streams {
      counts.append(
        await stream.events().count {
          $0.name == "data" && $0.data["reqID"] as? String == requestID
        })
    }
    let calls = endpoint.calls.count { $0.type == "data.created" && $0.requestID == requestID }
    return counts + [calls]
  }

  /// Waits until the stream was cut, or reports the end.
  private static func waitForEnd(of requestID: String, _ stream: CollectedStream) async throws {
    try await eventually("the end on a stream", within: .seconds(120)) {
      if stream.isOver { return true }
      return await stream.events().contains {
        $0.name == "ended" && $0.data["reqID"] as? String == requestID
      }
    }
  }
}

/// Whether samples still arrive.
private final class Writing: Sendable {
  private let over = Atomic(false)
  var isOver: Bool { over.load(ordering: .acquiring) }
  func end() { over.store(true, ordering: .releasing) }
}
