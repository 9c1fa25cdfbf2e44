import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// What a person erased of what came of a check-in: samples of these types, from one time to before
/// another (nil for no bound), as far as they came before it.
package struct RunDataErasure: Sendable {
  let requestID: DataRequestID
  let types: DataTypeSet
  let from: Timestamp?
  let to: Timestamp?
  /// Its number in the sequence: what came behind it stays, also where it has its effect late.
  let number: Int64

  /// An erasure of the given parts.
  package init(
    _ types: DataTypeSet, from: Timestamp?, to: Timestamp?, of requestID: DataRequestID,
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

  /// Whether nothing of a check-in is left, so that nothing has to be looked at.
  fileprivate func takesEverything(of checkIn: CheckInToErase.Row) -> Bool {
    guard let shared = checkIn.sharedTypes else { return false }
    return DataTypeSet(bits: UInt32(truncatingIfNeeded: shared)).isSubset(of: types)
      && from.map { $0 <= checkIn.startsAt.timestamp } ?? true
      && to.map { $0 >= checkIn.endsAt.timestamp } ?? true
  }
}

// Erasing goes by pieces, so that no transaction is long and the loop has time for others, however
// much there is.

extension RunData {
  /// Rows that are opened in one piece.
  static let openedMax: Int64 = 500
  /// Rows that go unopened in one piece.
  static let removedMax: Int64 = 10_000

  /// A piece of an erasure, of what came behind a number of the sequence.
  ///
  /// With the last piece the replicas that follow the run are told. What cannot be read goes: it
  /// may be what was erased, and is of no use.
  ///
  /// - Returns: the number to go on behind; nil after the last piece.
  /// - Throws: 503.
  package func erase(
    _ erasure: RunDataErasure, behind streamSeq: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    guard let checkIn = try await transaction.runOne(CheckInToErase(requestID: erasure.requestID))
    else { return nil }
    let next =
      erasure.takesEverything(of: checkIn)
      ? try await removePiece(of: erasure, in: transaction)
      : try await openPiece(of: erasure, behind: streamSeq, in: transaction)
    if next == nil {
      try await transaction.run(ReadRunnersAgain(requestIDs: [erasure.requestID]))
    }
    return next
  }

  private func removePiece(
    of erasure: RunDataErasure, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    let gone = try await transaction.run(
      RemoveDataOfRequest(
        requestID: erasure.requestID, before: erasure.number, countMax: Self.removedMax))
    return gone.count < Self.removedMax ? nil : gone.last
  }

  private func openPiece(
    of erasure: RunDataErasure, behind streamSeq: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    let rows = try await transaction.run(
      HoldDataOfRequest(
        requestID: erasure.requestID, behind: streamSeq, before: erasure.number,
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

  /// Removes a piece of what an account ever shared in runs; gives whether there may be more.
  ///
  /// - Throws: 503.
  func eraseSome(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let gone = try await transaction.run(
      RemoveDataOfAccount(account: account, countMax: Self.removedMax))
    return gone.count == Self.removedMax
  }

  /// Removes everything that an account ever shared in runs, which is little where `eraseSome` went
  /// before, and tells the replicas that follow them.
  ///
  /// - Throws: 503.
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
