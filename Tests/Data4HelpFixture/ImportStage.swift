import Cryptography
import Data4Help
import Domain
import EventLoop
import HTTP
import HealthRecords
import PublicAPI
import Testing
import Web

/// Imports into the health data of a test.
extension HealthDataTest {
  /// Imports a file that arrives in chunks; returns the answer and, if accepted, the identifier.
  package func startImport(
    _ pieces: [[UInt8]], _ format: ImportFormat = .appleHealth, as account: AccountID,
    idempotencyKey: String? = nil
  ) async throws -> Reply {
    try await callImport(
      .startImport, "format=\(format.rawValue)", .stream(BodyReader(chunks: pieces)), as: account,
      idempotencyKey: idempotencyKey)
  }

  /// Merges pending imports, into these samples or those of the test, and deletes those that ended
  /// longer ago than `keptFor`.
  package func merge(
    into store: SampleStore? = nil, keptFor: Duration = ImportWorker.keptFor
  ) async throws {
    let worker = ImportWorker(
      parts.dependencies.healthRecords, samples: store ?? samples, keptFor: keptFor,
      wakeUp: WakeUpSignal())
    try await worker.run()
  }

  /// The report of an import.
  package func readImport(_ id: String, as account: AccountID) async throws -> Reply {
    try await callImport(.readImport, "importID=\(id)", .bytes([]), as: account)
  }

  /// Imports an entire file; returns its final report.
  package func wholeImport(
    _ pieces: [[UInt8]], _ format: ImportFormat = .appleHealth, as account: AccountID
  ) async throws -> Reply {
    let started = try await startImport(pieces, format, as: account)
    #expect(started.status == 202)
    try await merge()
    return try await readImport(started.object["importID"] as? String ?? "", as: account)
  }

  private func callImport(
    _ endpoint: Endpoint, _ query: String, _ body: RequestBody, as account: AccountID,
    idempotencyKey: String? = nil
  ) async throws -> Reply {
    let route = try #require(
      table.first { $0.method == endpoint.method && $0.pattern == endpoint.path })
    var head = RequestHead(endpoint.method, endpoint.path, authority: "test")
    head.fields.append(InternalField.secret.description, secret)
    head.fields.append(InternalField.account.description, account.description)
    head.fields.append(InternalField.kind.description, "single")
    let session = TokenHash(digest: SHA256.digest(of: "session".utf8Span.span))
    head.fields.append(InternalField.session.description, session.hexadecimal)
    if let idempotencyKey { head.fields.append(.idempotencyKey, idempotencyKey) }
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]), body: body)
    let response: Response
    do throws(Problem) { response = try await route.handler(request) } catch {
      return Reply(error)
    }
    return try await Reply(response)
  }
}

extension Reply {
  /// The counts of an import in the order of the contract: samples and their outcomes.
  package var importCounts: [Int] { [object["samples"] as? Int ?? -1] + counts }
  package var state: String? { object["state"] as? String }
}
