import Domain
import Postgres
import ServiceKit
import Time

/// An erasure by a person of data from a check-in: samples of these types in a half-open time range
/// (nil for no bound) that arrived before the erasure.
package struct RunDataErasure: Sendable {
  let requestID: DataRequestID
  let types: DataTypeSet
  let from: Instant?
  let to: Instant?
  /// Its number in the sequence: later data stays, even if the erasure is applied late.
  let number: Int64

  /// Creates an erasure from its parts.
  package init(
    _ types: DataTypeSet, from: Instant?, to: Instant?, of requestID: DataRequestID,
    number: Int64 = .max
  ) {
    self.number = number
    self.requestID = requestID
    self.types = types
    self.from = from
    self.to = to
  }

  fileprivate func concerns(_ sample: Sample) -> Bool {
    types.contains(sample.type) && from.map { sample.time >= $0 } ?? true
      && to.map { sample.time < $0 } ?? true
  }

  /// Whether the erasure covers the entire check-in, so that rows need not be opened.
  fileprivate func takesEverything(of checkIn: CheckInToErase.Row) -> Bool {
    guard let shared = checkIn.sharedTypes else { return false }
    return DataTypeSet(bits: UInt32(truncatingIfNeeded: shared)).isSubset(of: types)
      && from.map { $0 <= checkIn.startsAt } ?? true
      && to.map { $0 >= checkIn.endsAt } ?? true
  }
}

// Erasing works in batches, so that transactions stay short and the loop remains available whatever
// the amount.

extension RunData {
  /// The largest number of rows opened in one batch.
  static let openedMax: Int64 = 500
  /// The largest number of rows removed unopened in one batch.
  static let removedMax: Int64 = 10_000

  /// Applies a batch of an erasure to the data after a sequence number.
  ///
  /// The last batch notifies the replicas that follow the run. Unreadable rows are removed: they
  /// may contain the erased data, and have no use.
  ///
  /// - Returns: the number after which to continue; nil after the last batch.
  /// - Throws: `unavailable`.
  package func erase(
    _ erasure: RunDataErasure, after streamSeq: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    guard let checkIn = try await transaction.runOne(CheckInToErase(requestID: erasure.requestID))
    else { return nil }
    let next =
      erasure.takesEverything(of: checkIn)
      ? try await removePiece(of: erasure, in: transaction)
      : try await openPiece(of: erasure, after: streamSeq, in: transaction)
    if next == nil {
      try await transaction.run(ReadRunnersAgain(requestIDs: [erasure.requestID]))
    }
    return next
  }

  private func removePiece(
    of erasure: RunDataErasure, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    let removed = try await transaction.run(
      RemoveDataOfRequest(
        requestID: erasure.requestID, before: erasure.number, countMax: Self.removedMax))
    return removed.count < Self.removedMax ? nil : removed.last
  }

  private func openPiece(
    of erasure: RunDataErasure, after streamSeq: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    let rows = try await transaction.run(
      HoldDataOfRequest(
        requestID: erasure.requestID, after: streamSeq, before: erasure.number,
        countMax: Self.openedMax))
    var replace = ReplaceRunData()
    var remove = RemoveRunData()
    for row in rows {
      let before = samples(of: row)
      let after = before.filter { !erasure.concerns($0) }
      if after.isEmpty {
        remove.append(row)
      } else if after.count < before.count {
        replace.append(row, sealed: try sealed(after, row.runID, row.number, row.streamSeq))
      }
    }
    try await transaction.run(replace, remove)
    return rows.count < Self.openedMax ? nil : rows.last?.streamSeq
  }

  /// Removes a batch of the data that an account shared in all runs; returns whether more may
  /// remain.
  ///
  /// - Throws: `unavailable`.
  func eraseSome(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let removed = try await transaction.run(
      RemoveDataOfAccount(account: account, countMax: Self.removedMax))
    return removed.count == Self.removedMax
  }

  /// Removes all data that an account shared in runs, which is little after `eraseSome`, and
  /// notifies the replicas that follow these runs.
  ///
  /// - Throws: `unavailable`.
  package func eraseAll(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    while try await eraseSome(of: account, in: transaction) {}
    try await transaction.run(ReadAccountAgain(account: account))
  }
}

extension ReplaceRunData {
  fileprivate mutating func append(_ row: RunDataRow, sealed: [UInt8]) {
    runs.append(row.runID)
    numbers.append(row.number)
    streamSeqs.append(row.streamSeq)
    self.sealed.append(sealed)
  }
}

extension RemoveRunData {
  fileprivate mutating func append(_ row: RunDataRow) {
    runs.append(row.runID)
    numbers.append(row.number)
    streamSeqs.append(row.streamSeq)
  }
}
