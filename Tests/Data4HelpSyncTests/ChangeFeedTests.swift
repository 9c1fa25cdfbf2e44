import Data4HelpSync
import Domain
import FakeServices
import InternalAPI
import PostgresFixture
import Requirements
import Support
import Testing

@Suite("Consuming the events of Data4Help")
struct ChangeFeedTests {
  private static let position: StaticString =
    "SELECT last_number FROM track4run.change_feed_positions"
  private static let deadLetters: StaticString = "SELECT count(*) FROM track4run.dead_letters"

  @Test("each event takes effect once, in the order of the sequence", .tags(.NFR_4))
  func order() async throws {
    try await SyncFixture.with { fixture in
      for account in 1...5 as ClosedRange<Int64> {
        fixture.fake.publish(.accountDeleted(AccountID(rawValue: account)))
      }
      let effects = RecordedEffects(in: fixture.database)
      try await fixture.consuming(effects) {
        try await eventually("the last event") { try fixture.number(Self.position) == 10 }
        fixture.fake.publish(.accountDeleted(AccountID(rawValue: 6)))
        try await eventually("the new event") { try fixture.number(Self.position) == 12 }
      }
      // Another process continues after the stored position.
      fixture.fake.publish(.accountDeleted(AccountID(rawValue: 7)))
      try await fixture.consuming(effects) {
        try await eventually("the next event") { try fixture.number(Self.position) == 14 }
      }
      #expect(effects.applied == [2, 4, 6, 8, 10, 12, 14])
    }
  }

  @Test("an event that fails by itself is retried later, and delays no other", .tags(.NFR_4))
  func deadLetter() async throws {
    try await SyncFixture.with { fixture in
      for account in 1...3 as ClosedRange<Int64> {
        fixture.fake.publish(.accountDeleted(AccountID(rawValue: account)))
      }
      let effects = RecordedEffects(in: fixture.database, failing: 4)
      try await fixture.consuming(effects) {
        try await eventually("the last event") { try fixture.number(Self.position) == 6 }
        #expect(try fixture.number(Self.deadLetters) == 1)
        effects.repair()
        fixture.clock.advance(by: .seconds(1))
        try await eventually("no dead letters") { try fixture.number(Self.deadLetters) == 0 }
      }
      #expect(effects.applied == [2, 6, 4])
    }
  }
}
