import Data4HelpFixture
import Domain
import Emergencies
import Foundation
import PublicAPI
import Requirements
import Sharing
import Support
import Testing
import Time

@Suite("A heart that stops without the database", .tags(.SOS_13, .NFR_4))
struct OfflineLossOfPulseTests {
  @Test("the person is asked after 10 s, and help is called after the window")
  func lossOfPulse() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.prepareOfflinePhase(endpoint)
        try await lose(stage, endpoint)
      }
    }
  }

  private func lose(_ stage: SingleRequestStage, _ endpoint: CallbackReceiver) async throws {
    let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
    try await stage.loseDatabases()
    #expect(try await stage.bring("0") == 200)
    stage.clock.advance(milliseconds: 9_999)
    try await stage.advanceOffline()
    #expect(stage.sos.copyCount == 0)
    stage.clock.advance(milliseconds: 1)
    try await stage.advanceOffline()
    #expect(try await stage.warnings(stream, 1) == ["asked"])
    stage.clock.advance(milliseconds: 19_999)
    try await stage.advanceOffline()
    stage.clock.advance(milliseconds: 1)
    let windowEnd = stage.clock.now
    // Without an answer it is confirmed, and help is called.
    for _ in 0..<2 { try await stage.advanceOffline() }
    let call = try #require(try await endpoint.calls(1).first)
    #expect(call.data?["rule"] as? String == "lossOfPulse")
    try await stage.regainDatabases()
    try await stage.catchUp()
    let emergencies = try await stage.emergencies()
    #expect(emergencies.map { $0["stage"] as? String } == ["dispatched"])
    #expect(emergencies.first?["confirmedAt"] as? String == windowEnd.description)
    stream.close()
  }
}
