import Accounts
import Domain
import Postgres
import ServiceKit
import Time

extension SampleStore {
  /// The samples of many small selections at once, each ordered by number, in one query. A
  /// selection whose samples, or whose account's key, can't be read has an `internalError` in their
  /// place; deleted accounts have no samples.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func samples(
    of selections: [SampleSelection]
  ) async throws(ApplicationError) -> [Result<[NumberedSample], ApplicationError>] {
    guard !selections.isEmpty else { return [] }
    let keys = try await accountKeys.keys(of: Array(Set(selections.map(\.account))))
    var found: [[NumberedSample]] = selections.map { _ in [] }
    var failures: [Int: ApplicationError] = [:]
    var buffer: [UInt8] = []
    for row in try await database.rows(ChunksOfSelections(selections)) {
      let selection = selections[row.input]
      let key = ChunkKey(
        account: selection.account, type: row.type, day: row.day, part: row.part)
      do throws(ApplicationError) {
        guard let sealingKey = try keys.key(of: selection.account) else { continue }
        found[row.input] += try selection.samples(
          in: row.data, of: key, numbers: selection.sequences, with: sealingKey, buffer: &buffer)
      } catch {
        failures[row.input.index] = error
      }
    }
    return found.indices.map { place in
      if let failure = failures[place] { return .failure(failure) }
      return .success(found[place].sorted { $0.sample.sequence < $1.sample.sequence })
    }
  }
}

/// The chunks with some samples of the selections: by the account's part of the primary key, so
/// that it reads each of the account's chunks.
struct ChunksOfSelections: Statement {
  struct Row: Sendable {
    /// The index of the selection.
    let input: InputIndex
    let type: DataType
    let day: Int32
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT asked.place, chunks.type, chunks.day, chunks.part, chunks.data
      FROM unnest(\(\.accounts), \(\.types), \(\.firstNumbers), \(\.lastNumbers), \(\.from),
                  \(\.to))
             WITH ORDINALITY
             AS asked (account_id, types, first_seq, last_seq, first_ts, end_ts, place)
      JOIN chunks
        ON chunks.account_id = asked.account_id
       AND asked.types & (1::int8 << chunks.type) <> 0
       AND chunks.last_seq >= asked.first_seq
       AND chunks.first_seq <= asked.last_seq
       AND chunks.last_ts >= asked.first_ts
       AND chunks.first_ts < asked.end_ts
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
  let types: [Int64]
  let firstNumbers: [Int64]
  let lastNumbers: [Int64]
  let from: [Int64]
  let to: [Int64]

  init(_ selections: [SampleSelection]) {
    accounts = selections.map(\.account)
    types = selections.map(\.types.storedBits)
    firstNumbers = selections.map(\.sequences.lowerBound)
    lastNumbers = selections.map(\.sequences.upperBound)
    from = selections.map { ($0.from ?? .firstWritable).millisecondsSince1970 }
    to = selections.map { $0.to?.millisecondsSince1970 ?? .max }
  }
}
