import Data4HelpFixture
import Domain
import EventLoop
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Testing
import Web

@Suite("Slots of open downloads")
struct DownloadSlotsTests {
  private let slots = DownloadSlots()

  /// Takes slots for a company until one is refused.
  private func fill(_ company: Int64) -> (taken: [DownloadSlot], refusal: ApplicationError) {
    var taken: [DownloadSlot] = []
    while true {
      do throws(ApplicationError) {
        let slot = try slots.take(for: AccountID(rawValue: company))
        taken.append(slot)
      } catch {
        return (taken, error)
      }
    }
  }

  private func release(_ taken: [DownloadSlot]) {
    for slot in taken { slot.release() }
  }

  @Test("a company has ten open downloads at most, and a further one when one ends", .tags(.GW_5))
  func ofCompany() throws {
    let (taken, refusal) = fill(1)
    #expect(taken.count == 10)
    #expect(refusal.reason == .rateLimited)
    #expect(refusal.retryAfter == 2)
    #expect(refusal.detail?.contains("receive or close some of them first") == true)
    // A second release of the same slot frees no other one.
    for _ in 1...2 { try #require(taken.first).release() }
    #expect(slots.count == 9)
    let again = fill(1).taken
    #expect(again.count == 1)
    release(taken + again)
    #expect(slots.count == 0)
  }

  @Test("a slot is free again when its response is discarded", .tags(.GW_5))
  func discarded() throws {
    do {
      let slot = try slots.take(for: AccountID(rawValue: 1))
      #expect(slots.count == 1)
      withExtendedLifetime(slot) {}
    }
    #expect(slots.count == 0)
  }

  @Test("47 companies leave a slot for another one; all slots bound the process", .tags(.GW_5))
  func ofProcess() {
    var taken: [DownloadSlot] = []
    for company in 1...47 as ClosedRange<Int64> {
      let own = fill(company).taken
      #expect(!own.isEmpty)
      taken += own
    }
    #expect(slots.count == 47 + DownloadSlots.furtherMax)
    for company in 100..<200 as Range<Int64> { taken += fill(company).taken }
    #expect(slots.count == DownloadSlots.countMax)
    let (none, refusal) = fill(300)
    #expect(none.isEmpty)
    #expect(refusal.reason == .unavailable)
    #expect(refusal.retryAfter == 2)
    release(taken)
    #expect(slots.count == 0)
  }

  @Test("a download has a slot until it ends, is cut or loses its client", .tags(.GW_5, .R24))
  func held() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(20)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      let slots = stage.parts.sharing.downloads
      let holder = try stage.installation.data.session()
      try holder.run("BEGIN; LOCK TABLE data4help.access_heads")
      async let reading = stage.data(requestID, format: "csv")
      try await eventually("a download in its slot", within: .seconds(120)) { slots.count == 1 }
      try holder.run("COMMIT")
      #expect(try await reading.status == 200)
      #expect(slots.count == 0)
      for format in ["json", "csv", "ndjson", "fhir"] {
        let file = try await stage.data(requestID, format: format)
        #expect(file.status == 200 && !file.isCut)
        #expect(slots.count == 0)
        let stream = try await stage.open(
          .deliveredData, by: Known.clinic, .thirdParty, bytesMax: 10,
          query: "reqID=\(requestID)&format=\(format)")
        await #expect(throws: BodyWriter.Failure.aborted) { try await stream.ended() }
        #expect(slots.count == 0)
      }
      let revoked = Revoked(requestIDs: [try #require(DataRequestID(requestID))])
      try await stage.here { await stage.parts.fence.value.revoke(revoked) }
      #expect(try await stage.data(requestID, format: "csv").isCut)
      #expect(try await stage.data(requestID).status == 503)
      #expect(slots.count == 0)
    }
  }

  @Test("a client must receive a page or a file at 16 KiB/s", .tags(.GW_5))
  func leastRate() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      for format in ["json", "csv", "ndjson", "fhir"] {
        let reply = try await stage.data(requestID, format: format)
        #expect(reply.status == 200)
        #expect(reply.demandedRate == 16 << 10, "\(format)")
      }
    }
  }

  @Test("beyond its open downloads a company gets no page, file or events", .tags(.GW_5))
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      let other = try await stage.ask(by: Known.studio)
      for identifier in [requestID, other] { _ = try await stage.choose("accept", identifier) }
      let slots = stage.parts.sharing.downloads
      var taken: [DownloadSlot] = []
      for _ in 0..<DownloadSlots.countOfThirdPartyMax {
        taken.append(try slots.take(for: Known.clinic))
      }
      for format in ["json", "csv"] {
        let reply = try await stage.data(requestID, format: format)
        #expect(reply.status == 429 && reply.fields["retry-after"] == "2", "\(reply.text)")
      }
      let events = try await stage.call(.thirdPartyEvents, by: Known.clinic, .thirdParty)
      #expect(events.status == 429, "\(events.text)")
      #expect(try await stage.data(other, by: Known.studio).status == 200)
      for slot in taken { slot.release() }
      #expect(try await stage.data(requestID).status == 200)
      let later = try await stage.call(.thirdPartyEvents, by: Known.clinic, .thirdParty)
      #expect(later.status == 200)
      #expect(slots.count == 0)
    }
  }
}
