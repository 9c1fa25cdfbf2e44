import Data4HelpFixture
import Domain
import Foundation
import PublicAPI
import Testing

@Suite("Cursors")
struct PageCursorTests {
  /// Below the range of `timestamptz`, its infinity, and just below the range of a list.
  private static let times: [Int64] = [
    -1_000_000_000_000_000_000, -210_866_803_200_000_001, .min, -1,
  ]

  @Test("a forged cursor with an impossible time is refused with 400")
  func times() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for time in Self.times {
        let words = [UInt64(bitPattern: time), 5, 5]
        for (endpoint, account, kind) in [
          (Endpoint.listForThirdParty, Known.clinic, AccountKind.thirdParty),
          (.payments, Known.clinic, .thirdParty),
          (.listForSingleUser, Known.mario, .singleUser),
        ] {
          let reply = try await stage.call(
            endpoint, query: "cursor=\(Self.cursor(1, words))", by: account, kind)
          #expect(reply.status == 400, "\(endpoint.path) \(time)")
          #expect(reply["field"] == "cursor")
        }
        let reply = try await stage.call(
          .listPreconfirmed, query: "cursor=\(Self.cursor(10, Array(words.prefix(2))))",
          by: Known.mario, .singleUser)
        #expect(reply.status == 400, "\(time)")
      }
    }
  }

  @Test("the first and the last possible time of an entry are accepted")
  func bounds() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for time in [0, UInt64(Int64.max)] {
        let reply = try await stage.call(
          .payments, query: "cursor=\(Self.cursor(1, [time, 5, 5]))", by: Known.clinic, .thirdParty)
        #expect(reply.status == 200, "\(time)")
      }
    }
  }

  @Test("a forged cursor with a negative number is refused with 400")
  func numbers() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for (endpoint, list) in [(Endpoint.accesses, UInt8(3)), (.notices, 8)] {
        let cursor = Self.cursor(list, [UInt64(bitPattern: -1)])
        let reply = try await stage.call(
          endpoint, query: "cursor=\(cursor)", by: Known.mario, .singleUser)
        #expect(reply.status == 400, "\(endpoint.path)")
      }
    }
  }

  private static func cursor(_ list: UInt8, _ words: [UInt64]) -> String {
    var bytes = Data([list])
    for word in words {
      bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) })
    }
    return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
