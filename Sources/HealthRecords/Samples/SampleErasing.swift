import Cryptography
import Domain
import Postgres
import ServiceKit

/// The number of samples erased, and the room freed.
package struct ErasedSamples: Hashable, Sendable {
  /// How many samples.
  package var samples = 0
  /// The bytes of room freed.
  package var bytes: Int64 = 0

  /// Nothing erased.
  package init() {}
}

/// Erases the samples of some types in a period (DAT-7), with the account locked: concurrent
/// uploads are stored before or after it, and none is lost.
///
/// Whole chunks are deleted by one statement without being read; only chunks across the two ends of
/// the period are opened, cut and sealed again. The cost therefore is that of the deleted rows (at
/// most about 10,000, as the room is limited) and of the few chunks of two days for each type. The
/// remaining samples keep their numbers, so that the data agreed with third parties shrinks and
/// their sequences continue.
struct SampleErasing {
  let account: AccountID
  let types: [DataType]
  let period: SamplePeriod
  let sealingKey: SealingKey
  let zone: TimeZoneRules
  /// The first day that is not over: earlier months are counted for groups.
  let firstOpenDay: Int32

  /// Erases in a transaction of the caller, in at most four round trips.
  ///
  /// - Throws: `internalError` for stored samples that can't be read, and errors of the database.
  func erase(in transaction: Transaction<ApplicationError>) async throws(ApplicationError)
    -> ErasedSamples
  {
    let period = StoredPeriod(period, zone: zone)
    let chunks = EraseChunks(account: account, types: types, period: period)
    let (locked, _, _, whole, across) = try await transaction.run(
      LockSampleAccounts(accounts: [account]),
      MarkErasedMonths(chunks, firstOpenDay: firstOpenDay), ForgetLastCell(chunks), chunks,
      ChunksOfPeriod(account: account, types: types, period: period))
    var erased = ErasedSamples()
    guard !locked.isEmpty else { return erased }
    for row in whole {
      erased.samples += Int(row.samples)
      erased.bytes += row.bytes
    }
    let cut = try cutChunks(across, &erased)
    guard erased.samples > 0 else { return erased }
    if cut.count > 0 { try await transaction.run(cut) }
    try await restoreHeads(in: transaction)
    try await transaction.run(FreeRoom(account: account, bytes: erased.bytes))
    return erased
  }

  private func cutChunks(
    _ rows: [ChunksOfPeriod.Row], _ erased: inout ErasedSamples
  ) throws(ApplicationError) -> RewriteChunks {
    var cut = RewriteChunks(account: account)
    for row in rows {
      let key = ChunkKey(account: account, type: row.type, day: row.day, part: row.part)
      let rest = try rewritten(row.data, key, without: period, as: key)
      guard rest.erased > 0 else { continue }
      // According to its row it has samples outside the period.
      guard rest.count > 0 else { throw .internalError(SampleStoreError.corrupt) }
      cut.append(key, as: row.part, rest)
      erased.samples += rest.erased
      erased.bytes += Int64(row.data.count - rest.data.count)
    }
    return cut
  }

  /// Restores the rule that the head of a day holds its last sample, on which appending relies. If
  /// the head was deleted, or lost its end, the chunk that is now last becomes the head; its size
  /// does not change.
  private func restoreHeads(in transaction: Transaction<ApplicationError>)
    async throws(ApplicationError)
  {
    let (rows) = try await transaction.run(
      LastChunksBeforeHead(account: account, types: types, period, zone: zone))
    guard !rows.isEmpty else { return }
    var moved = RewriteChunks(account: account)
    for row in rows {
      let key = ChunkKey(account: account, type: row.type, day: row.day, part: row.part)
      let head = key.part(row.head + 1)
      moved.append(
        key, as: head.part, try rewritten(row.data, key, without: nil, as: head))
    }
    try await transaction.run(moved)
  }

  private func rewritten(
    _ data: [UInt8], _ key: ChunkKey, without period: SamplePeriod?, as newKey: ChunkKey
  ) throws(ApplicationError) -> RewrittenChunk {
    try mapStorageError { () throws(SampleStoreError) in
      try RewrittenChunk(data, of: key, without: period, as: newKey, with: sealingKey)
    }
  }
}
