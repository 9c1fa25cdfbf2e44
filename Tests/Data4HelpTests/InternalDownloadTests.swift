import Data4Help
import Data4HelpFixture
import Domain
import InternalAPI
import JSON
import Requirements
import Sharing
import Testing

@Suite("Consent to the files of runs, and their records of accesses")
struct InternalDownloadTests {
  private static let request = CheckedInRun.requestID(UInt64(Known.mario.rawValue))

  /// Asks whether a part may be sent, which contains samples of Mario.
  private func granted(_ stage: SingleRequestStage, count: Int) async throws -> [DataRequestID] {
    let unknown = RunDownload.Runner(CheckedInRun.requestID(77), types: [.position], count: 3)
    let mario = RunDownload.Runner(Self.request, types: [.position], count: count)
    let part = RunDownload(to: Known.studio, format: "csv", runners: [unknown, mario])
    let reply = try await stage.callInternally(InternalPath.downloads, stage.json(part))
    #expect(reply.status == 200, "\(reply.text)")
    return try JSONReader.read(GrantedCheckIns.self, from: Array(reply.text.utf8)).requestIDs
  }

  /// The numbers of samples in Mario's record of accesses.
  private func recorded(_ stage: SingleRequestStage) async throws -> [Int?] {
    try await stage.accessList().list("accesses").map { $0["samples"] as? Int }
  }

  @Test(
    "a part is granted and on record from the acceptance of the check-in until the runner ends it",
    .tags(.RUN_8, .R21, .NFR_6))
  func ended() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await granted(stage, count: 2).isEmpty)
      #expect(try await stage.choose("accept", requestID).status == 200)
      #expect(try await granted(stage, count: 2) == [Self.request])
      #expect(try await recorded(stage) == [2])
      // A part without samples is checked and not recorded.
      #expect(try await granted(stage, count: 0) == [Self.request])
      #expect(try await recorded(stage) == [2])
      #expect(try await stage.endByPerson(requestID).status == 200)
      #expect(try await granted(stage, count: 5).isEmpty)
      #expect(try await granted(stage, count: 0).isEmpty)
      #expect(try await recorded(stage) == [2])
    }
  }

  @Test(
    "after the run a part is granted until the runner deletes the account",
    .tags(.RUN_8, .ACC_8))
  func deleted() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await stage.choose("accept", requestID).status == 200)
      try await stage.endRun()
      #expect(try await granted(stage, count: 2) == [Self.request])
      let parts = stage.parts
      try await stage.here { try await AccountDeletion(parts.sharing).delete(Known.mario) }
      #expect(try await granted(stage, count: 2).isEmpty)
    }
  }
}
