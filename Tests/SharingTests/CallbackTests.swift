import Data4HelpFixture
import Domain
import EventLoop
import Operations
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing
import Time

@Suite("Callbacks")
struct CallbackTests {
  @Test(
    "a delivery of a killed replica is sent by another under the same id", .tags(.REQ_2, .NFR_4)
  )
  func takeover() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        endpoint.answer { _ in .hang }
        #expect(try await stage.callOnce() == 1)
        let first = try await endpoint.calls(1)[0]
        try await SingleRequestStage.replica(of: stage.installation) { other in
          #expect(try await other.callOnce() == 0)
          other.clock.advance(seconds: 44)
          #expect(try await other.callOnce() == 0)
          other.clock.advance(seconds: 1)
          endpoint.answer { _ in .status(200) }
          #expect(try await other.callOnce() == 1)
          try await other.here { await other.callbacks.value.settle() }
          let calls = try await endpoint.calls(3)
          #expect(calls.map(\.id) == [first.id, first.id, calls[2].id])
          #expect(calls[1].body == first.body)
          #expect(calls[2].type == "request.answered")
        }
        // The replica presumed dead reports its delivery late: no position moves back.
        endpoint.release()
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(try stage.cell("SELECT acknowledged FROM data4help.callbacks") == "3")
        #expect(try await stage.callOnce() == 0)
      }
    }
  }

  @Test(
    "a dead replica's deliveries are free at once, without waiting for a call",
    .tags(.REQ_2, .NFR_4))
  func death() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        endpoint.answer { _ in .hang }
        try await SingleRequestStage.replica(of: stage.installation) { other in
          try await stage.watched {
            #expect(try await stage.callOnce() == 1)
            _ = try await endpoint.calls(1)
            let holder = try stage.cell(
              """
              SELECT count(*)
                FROM data4help.callbacks
                JOIN data4help.delivering_replicas ON replica_id = leased_by
              """)
            #expect(holder == "1")
            #expect(try await other.callOnce() == 0)
          }
          endpoint.answer { _ in .status(200) }
          #expect(try await other.callOnce() == 1)
          try await other.here { await other.callbacks.value.settle() }
        }
        let calls = try await endpoint.calls(3)
        #expect(calls[1].id == calls[0].id)
        #expect(calls[1].body == calls[0].body)
        #expect(calls[2].type == "request.answered")
        // The hanging call is answered at last: no position moves, and no call is repeated.
        endpoint.release()
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(try stage.cell("SELECT acknowledged FROM data4help.callbacks") == "3")
        #expect(try await stage.callOnce() == 0)
        #expect(endpoint.calls.count == 3)
      }
    }
  }

  @Test(
    "a call whose answer could not be stored is repeated at once, not after its lease",
    .tags(.REQ_2, .NFR_4))
  func lostAnswer() async throws {
    try await CallbackReceiver.with { endpoint in
      let lines = LogRecorder()
      try await SingleRequestStage.with(log: Log(process: "data4help", sink: lines.sink)) { stage in
        _ = try await stage.follow(endpoint)
        endpoint.answer { _ in .held(200) }
        #expect(try await stage.callOnce() == 1)
        let first = try await endpoint.calls(1)[0]
        try await stage.setUnavailable(true)
        endpoint.answer { _ in .status(200) }
        endpoint.release()
        try await eventually("the fault") {
          lines.lines.contains { $0.contains("deliver callback failed") }
        }
        try await stage.setUnavailable(false)
        // The clock of the leases rests.
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(try stage.cell("SELECT leased_until IS NULL FROM data4help.callbacks") == "t")
        #expect(try await stage.callOnce() == 1)
        #expect(try await endpoint.calls(2)[1].id == first.id)
      }
    }
  }

  @Test("a replica whose lease has ended aborts every call", .tags(.REQ_2, .NFR_4))
  func lapse() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        // The answer to the request carries no samples, and is aborted as well.
        endpoint.answer { $0.type == "data.created" ? .status(200) : .hang }
        try await stage.here { stage.callbacks.value.endRevokedCalls() }
        #expect(try await stage.callOnce() == 1)
        _ = try await endpoint.calls(2)
        try await stage.here {
          let fence = stage.parts.fence.value
          fence.extend(until: stage.parts.loop.now + .milliseconds(1))
        }
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(try stage.cell("SELECT attempts FROM data4help.callbacks") == "0")
        #expect(try stage.cell("SELECT leased_until IS NULL FROM data4help.callbacks") == "t")
      }
    }
  }

  @Test(
    "the answer of an endpoint replaced or deleted during the call disables no callback",
    .tags(.REQ_2), arguments: [false, true])
  func replaced(isDeleted: Bool) async throws {
    try await CallbackReceiver.with { old in
      try await CallbackReceiver.with { new in
        try await SingleRequestStage.with { stage in
          _ = try await stage.follow(old)
          old.answer { _ in .held(410) }
          #expect(try await stage.callOnce() == 1)
          _ = try await old.calls(1)
          stage.clock.advance(seconds: 1)
          if isDeleted {
            let reply = try await stage.call(.deleteCallback, by: Known.clinic, .thirdParty)
            #expect(reply.status == 200)
          }
          #expect(try await stage.register(new).status == 200)
          try await stage.store(1, minutesAgo: 1)
          try await stage.here { _ = try await stage.workers.relay() }
          #expect(try await stage.callOnce() == 1)
          _ = try await new.calls(1)
          old.release()
          try await stage.here { await stage.callbacks.value.settle() }
          let state = try await stage.call(.readCallback, by: Known.clinic, .thirdParty)
          #expect(state["url"] == new.url)
          #expect(state.object["active"] as? Bool == true)
          let metrics = stage.parts.metrics.text()
          #expect(metrics.contains("trackme_data4help_callbacks_switched_off_total 0"))
        }
      }
    }
  }

  @Test(
    "the answer of a replaced endpoint does not count for its uncalled replacement",
    .tags(.REQ_2))
  func replacedUncalled() async throws {
    try await CallbackReceiver.with { old in
      try await CallbackReceiver.with { new in
        try await SingleRequestStage.with { stage in
          _ = try await stage.follow(old)
          old.answer { _ in .held(410) }
          #expect(try await stage.callOnce() == 1)
          _ = try await old.calls(1)
          #expect(try await stage.register(new).status == 200)
          old.release()
          try await stage.here { await stage.callbacks.value.settle() }
          let state = try await stage.call(.readCallback, by: Known.clinic, .thirdParty)
          #expect(state["url"] == new.url)
          #expect(state.object["active"] as? Bool == true)
        }
      }
    }
  }

  @Test(
    "after 200 calls a third party yields to others, and continues without a pause", .tags(.REQ_2))
  func makesWay() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        for minute in 0..<200 {
          try await stage.store(1, minutesAgo: Int64(1_000 + minute))
          _ = try await stage.workers.relay()
        }
        for count in [200, 202] {
          #expect(try await stage.callOnce() == 1)
          try await stage.here { await stage.callbacks.value.settle() }
          #expect(endpoint.calls.count == count)
        }
      }
    }
  }

  @Test(
    "a third party leased while a process stops is released without a call", .tags(.REQ_2, .NFR_4))
  func stopping() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        try await stage.here { await stage.callbacks.value.stop() }
        #expect(try await stage.callOnce() == 1)
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(endpoint.calls.isEmpty)
        #expect(try stage.cell("SELECT leased_until IS NULL FROM data4help.callbacks") == "t")
        #expect(try stage.cell("SELECT count(*) FROM data4help.accesses") == "0")
      }
    }
  }

  @Test(
    "ten failed attempts disable a callback, with a mail, and without an eleventh", .tags(.REQ_2))
  func exhausted() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        endpoint.answer { _ in .status(500) }
        for attempt in 1...10 {
          #expect(try await stage.callOnce() == 1, "attempt \(attempt)")
          try await stage.here { await stage.callbacks.value.settle() }
          let isOff = try stage.cell("SELECT off_reason IS NOT NULL FROM data4help.callbacks")
          #expect(isOff == (attempt == 10 ? "t" : "f"))
          // Longer than the longest pause with its jitter.
          stage.clock.advance(seconds: 2 * 86_400)
        }
        #expect(try await stage.callOnce() == 0)
        #expect(Set(endpoint.calls.map(\.id)).count == 1)
        #expect(endpoint.calls.count == 10)
        // One mail reports that it was set, one that it was disabled.
        #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "2")
        let metrics = stage.parts.metrics.text()
        #expect(metrics.contains("trackme_data4help_callbacks_switched_off_total 1"))
        let state = try await stage.call(.readCallback, by: Known.clinic, .thirdParty)
        #expect(state.object["active"] as? Bool == false)
      }
    }
  }

  @Test("Retry-After is waited for to the second, where it is longer", .tags(.REQ_2))
  func retryAfter() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        endpoint.answer { _ in .later(503, retryAfter: 1_000) }
        #expect(try await stage.callOnce() == 1)
        try await stage.here { await stage.callbacks.value.settle() }
        stage.clock.advance(seconds: 999)
        #expect(try await stage.callOnce() == 0)
        stage.clock.advance(seconds: 1)
        endpoint.answer { _ in .status(200) }
        #expect(try await stage.callOnce() == 1)
        _ = try await endpoint.calls(2)
      }
    }
  }

  @Test(
    "callbacks that remain after concurrent resending, deleting and registering work", .tags(.REQ_2)
  )
  func races() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
          for index in 0..<60 {
            group.addTask {
              switch index % 3 {
              case 0: (0, try await stage.resend(since: 0).status)
              case 1:
                (1, try await stage.call(.deleteCallback, by: Known.clinic, .thirdParty).status)
              default: (2, try await stage.register(endpoint).status)
              }
            }
          }
          return try await group.reduce(into: [(Int, Int)]()) { $0.append($1) }
        }
        for (kind, status) in statuses {
          #expect(kind == 0 ? [200, 404].contains(status) : status == 200, "\(kind) \(status)")
        }
        #expect(try await stage.register(endpoint).status == 200)
        #expect(try await stage.resend(since: 0).status == 200)
        let before = endpoint.calls.count
        #expect(try await stage.callOnce() == 1)
        try await stage.here { await stage.callbacks.value.settle() }
        #expect(
          endpoint.calls.dropFirst(before).map(\.type) == ["data.created", "request.answered"])
      }
    }
  }

  @Test("a call is listed for the period that the operator set", .tags(.NFR_6))
  func kept() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        _ = try await stage.follow(endpoint)
        #expect(try await stage.callOnce() == 1)
        try await stage.here { await stage.callbacks.value.settle() }
        let logged = try stage.cell("SELECT count(*) FROM data4help.callback_calls")
        #expect(logged != "0")
        let (database, environment) = (stage.parts.database, stage.parts.environment)
        for (seconds, left) in [(2 * 86_400, logged), (1, "0")] as [(Int64, String?)] {
          stage.clock.advance(seconds: seconds)
          try await stage.here {
            try await CallbackDelivery.forgetOldCalls(
              in: database, environment: environment, keptFor: .seconds(2 * 86_400))
          }
          #expect(try stage.cell("SELECT count(*) FROM data4help.callback_calls") == left)
        }
      }
    }
  }
}
