import Cryptography
import Data4HelpFixture
import Domain
import Payments
import Postgres
import PostgresFixture
import Requirements
import Sharing
import Testing

@Suite("Subscriptions that are paid after their account was inactive")
struct PaidInactivityTests {
  /// Runs a test with a price for subscriptions, and a heart rate of 60 that Mario has stored.
  private func with(
    _ body: @escaping @Sendable (SingleRequestStage) async throws -> Void
  ) async throws {
    let terms = PaymentTerms(
      prices: RequestPrices(single: 500, group: 900, subscription: 700), broker: TestBroker(),
      signature: PaymentSignature(secret: SecretBytes(utf8: "whsec_of_the_tests")),
      returnURL: "https://trackme.test")
    try await SingleRequestStage.with(payments: terms) { stage in
      try await stage.populate()
      try await stage.store(1, minutesAgo: 20)
      try await body(stage)
    }
  }

  private func values(_ requestID: String, _ stage: SingleRequestStage) async throws -> [Int?] {
    try await stage.data(requestID).list("samples").map { $0["value"] as? Int }
  }

  @Test(
    "a payment delivers the samples since the acceptance, except those of inactive times",
    .tags(.REQ_7, .REQ_9))
  func inactiveBeforePayment() async throws {
    try await with { stage in
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      try await stage.store(1, minutesAgo: 19, value: 70)
      for minutes in [18, 15] as [Int64] {
        // Repetitions change nothing.
        for _ in 0..<2 { #expect(try await stage.choose(isActive: false).status == 200) }
        try await stage.store(2, minutesAgo: minutes - 1, value: 80)
        for _ in 0..<2 { #expect(try await stage.choose(isActive: true).status == 200) }
        try await stage.store(1, minutesAgo: minutes - 2, value: 71)
      }
      #expect(try await stage.confirm(requestID, 700).status == 200)
      #expect(try await values(requestID, stage) == [60, 70, 71, 71])
      try await stage.store(1, minutesAgo: 1, value: 72)
      _ = try await stage.workers.relay()
      #expect(try await values(requestID, stage) == [60, 70, 71, 71, 72])
    }
  }

  @Test(
    "a subscription that is paid for while the person is inactive gets no samples of then",
    .tags(.REQ_7, .REQ_9))
  func inactiveAtPayment() async throws {
    try await with { stage in
      let requestID = try await stage.subscribe()
      #expect(try await stage.choose("accept", requestID).status == 200)
      #expect(try await stage.choose(isActive: false).status == 200)
      try await stage.store(1, minutesAgo: 10, value: 80)
      #expect(try await stage.confirm(requestID, 700).status == 200)
      try await stage.store(1, minutesAgo: 9, value: 81)
      _ = try await stage.workers.relay()
      #expect(try await stage.choose(isActive: true).status == 200)
      try await stage.store(1, minutesAgo: 8, value: 70)
      _ = try await stage.workers.relay()
      #expect(try await values(requestID, stage) == [60, 70])
    }
  }

  @Test(
    "each active time before the payment is one entry, once, in order and without holes",
    .tags(.REQ_7, .REQ_9))
  func entries() async throws {
    try await with { stage in
      let requestID = try await stage.subscribe()
      #expect(try await stage.choose("accept", requestID).status == 200)
      let active: [(count: Int, minutesAgo: Int64, value: Double)] = [
        (2, 17, 70), (1, 15, 72), (3, 11, 73),
      ]
      for part in active {
        try await stage.store(part.count, minutesAgo: part.minutesAgo, value: part.value)
        #expect(try await stage.choose(isActive: false).status == 200)
        try await stage.store(1, minutesAgo: part.minutesAgo - 1, value: 80)
        #expect(try await stage.choose(isActive: true).status == 200)
      }
      for _ in 0..<2 { #expect(try await stage.confirm(requestID, 700).status == 200) }
      // The number of samples in each entry and the number of its first sample, then all numbers.
      let entries = try stage.cell(
        """
        SELECT string_agg(
                 concat(last_seq - first_seq + 1, ':', first_account_seq), ' ' ORDER BY first_seq)
          FROM data4help.third_party_log
         WHERE kind = 1
        """)
      #expect(entries == "1:1 2:2 1:5 3:7")
      let numbers = try stage.cell(
        """
        SELECT max(last_seq) - min(first_seq) + 1 FROM data4help.third_party_log WHERE kind = 1
        """)
      #expect(numbers == "7")
      #expect(try await values(requestID, stage) == [60, 70, 71, 72, 73, 74, 75])
    }
  }

  @Test("a change of the state locks unpaid subscriptions in their order", .tags(.REQ_9))
  func lockOrder() async throws {
    try await with { stage in
      let first = "a0000000-0000-4000-8000-000000000000"
      let second = "b0000000-0000-4000-8000-000000000000"
      // The second one is stored first.
      for (requestID, company) in [(second, Known.clinic), (first, Known.studio)] {
        let rest = ",\"subscribing\":true,\"duration\":3600,\"reqID\":\"\(requestID)\""
        #expect(try await stage.ask("\"heartRate\"", rest, by: company) == requestID)
        #expect(try await stage.choose("accept", requestID).status == 200)
      }
      let holder = try stage.installation.data.session()
      try holder.run(
        """
        BEGIN;
        SELECT FROM data4help.single_requests WHERE request_id = '\(second)' FOR UPDATE
        """)
      async let change = stage.choose(isActive: false)
      try await stage.untilLockIsAwaited()
      let unlocked = try stage.cell(
        """
        SELECT count(*)
          FROM (SELECT FROM data4help.single_requests FOR UPDATE SKIP LOCKED) AS free
        """)
      #expect(unlocked == "0")
      try holder.run("COMMIT")
      #expect(try await change.status == 200)
      let hidden = try stage.cell(
        "SELECT count(*) FROM data4help.single_requests WHERE hidden_seqs IS NOT NULL")
      #expect(hidden == "2")
    }
  }
}
