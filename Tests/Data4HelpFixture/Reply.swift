import Foundation
import HTTP
import Testing
import Web

/// The answer of a handler as its client gets it.
package struct Reply: Sendable {
  package let status: Int
  package let fields: HTTPFields
  package let text: String
  package let problem: Problem?
  /// Whether a streamed body was cut off.
  package private(set) var isCut = false
  /// The rate that a streamed body demanded of its client, in bytes per second.
  package private(set) var demandedRate: Int?

  /// A response, with its whole body.
  package init(_ response: Response) async throws {
    status = Int(response.status.code)
    fields = response.fields
    problem = nil
    switch response.body {
    case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
    case .stream(let write):
      let writer = BodyWriter()
      do { try await write(writer) } catch { isCut = true }
      text = String(decoding: writer.collected, as: UTF8.self)
      demandedRate = writer.demandedRate
    }
  }

  /// A refusal, with its document as body.
  package init(_ problem: Problem) {
    status = Int(problem.status.code)
    fields = problem.fields
    self.problem = problem
    text = String(decoding: problem.document(requestID: nil), as: UTF8.self)
  }

  /// The JSON object; empty for another body.
  package var object: [String: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    return value as? [String: Any] ?? [:]
  }

  /// A text of the JSON object, such as `error` and `field` of a refusal.
  package subscript(name: String) -> String? { object[name] as? String }

  /// The cursor of the next page, which must exist.
  package var next: String {
    get throws { try #require(self["next"]) }
  }

  /// An array of objects.
  package func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }

  /// The numbers of a page of samples.
  package var numbers: [Int] { list("samples").compactMap { $0["seq"] as? Int } }

  /// The counts of an upload, in the order of the contract.
  package var counts: [Int] {
    ["stored", "duplicates", "disabled", "paused", "dropped"].map { object[$0] as? Int ?? -1 }
  }
}
