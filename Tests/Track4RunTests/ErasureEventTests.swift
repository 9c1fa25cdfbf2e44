import Domain
import FakeServices
import InternalAPI
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Events about erased data")
struct ErasureEventTests {
  @Test("an erasure event takes effect once, in its order", .tags(.NFR_6))
  func notified() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms())
      for runner in [1, 2] as [Int64] { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        try await fixture.conversing(with: fake) {
          try await eventually("the requests") { try fake.asked().count == 2 }
          let requests = Dictionary(
            try fake.asked().map { ($0.account.rawValue, $0.requestID) },
            uniquingKeysWith: { $1 })
          let start = RunFixture.now.adding(seconds: 3600)
          let types = DataTypeSet([.position])
          let place = try GeoPoint("45.4642,9.19")
          for runner in [1, 2] as [Int64] {
            let request = try #require(requests[runner])
            fake.publish(.answered(request, .accepted(types, endsAt: start)))
            fake.publish(
              .samples(
                request,
                [Sample(stored: .position, time: start, value: .position(place))]))
          }
          let first = try #require(requests[1])
          fake.publish(.erased(first, types, from: nil, to: nil))
          let later = Sample(
            stored: .position, time: start.adding(seconds: 1), value: .position(place))
          fake.publish(.samples(first, [later]))
          try await eventually("what came behind the erasure") {
            try fixture.number("SELECT last_number FROM track4run.change_feed_positions") == 12
          }
          let stored: StaticString = """
            SELECT sum(number * 100 + stream_seq) FROM track4run.run_data
            """
          // For the second runner the data under 8, for the first only the data under 12.
          #expect(try fixture.number(stored) == 208 + 112)
          let noted: StaticString = """
            SELECT count(*) FROM track4run.enrolments
             WHERE shared_types IS NOT NULL AND data_revision = CASE number WHEN 1 THEN 1 ELSE 0 END
            """
          #expect(try fixture.number(noted) == 2)
        }
      }
    }
  }
}
