import Cryptography
import Domain
import Operations

/// The key of a chunk's row, to which its sealed blocks are bound.
package struct ChunkKey: Hashable, Sendable {
  let account: AccountID
  let type: DataType
  let day: Int32
  let part: Int32

  /// The key of a part of a day of one type of an account.
  package init(account: AccountID, type: DataType, day: Int32, part: Int32) {
    self.account = account
    self.type = type
    self.day = day
    self.part = part
  }

  /// A block opens only in the row it was sealed for, so that none can be moved to another account,
  /// type, day or part.
  var sealContext: SealContext {
    SealContext(
      table: "chunks", column: "data",
      row: SealRow(account.rawValue, Int64(type.rawValue), Int64(day), Int64(part)))
  }
}

/// The bytes of a chunk: sealed blocks, each after its length in two bytes, most significant byte
/// first.
package enum SealedBlocks {
  /// The target for the encoded bytes of one block: an append never rewrites a chunk much larger
  /// than this.
  static let codedBytesMax = 1_800
  /// The size in bytes from which no block is prepended to a chunk.
  static let chunkBytesMax = 1_900
  /// The size in bytes from which no samples are merged into a packed chunk.
  static let packedBytesMax = 1_400
  /// The difference in bytes between a framed block and its encoded samples.
  static let overheadBytes = 2 + SealingKey.overheadBytes

  /// Seals one block and prepends its length.
  static func frame(_ coded: [UInt8], for key: ChunkKey, with sealingKey: SealingKey) -> [UInt8] {
    let count = coded.count + SealingKey.overheadBytes
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 2)
    bytes.append(UInt8(truncatingIfNeeded: count >> 8))
    bytes.append(UInt8(truncatingIfNeeded: count))
    sealingKey.seal(coded.span, for: key.sealContext, into: &bytes)
    return bytes
  }

  /// Opens the blocks of a chunk one after the other, newest first, into `buffer`, which is reused
  /// for each.
  ///
  /// - Throws: `SampleStoreError.corrupt` for bytes that are not a chunk of this row under this
  ///   key, and the errors of `body`.
  package static func forEach(
    in data: [UInt8], of key: ChunkKey, with sealingKey: SealingKey, buffer: inout [UInt8],
    _ body: (Span<UInt8>) throws(SampleBlockError) -> Void
  ) throws(SampleStoreError) {
    let context = key.sealContext
    let bytes = data.span
    var index = 0
    while index < bytes.count {
      guard index + 2 <= bytes.count else { throw .corrupt }
      let end = index + 2 + (Int(bytes[index]) << 8 | Int(bytes[index + 1]))
      guard end <= bytes.count else { throw .corrupt }
      buffer.removeAll(keepingCapacity: true)
      do throws(CryptographyError) {
        try sealingKey.open(bytes.extracting(index + 2..<end), for: context, into: &buffer)
      } catch {
        throw .corrupt
      }
      do throws(SampleBlockError) {
        try body(buffer.span)
      } catch {
        throw .corrupt
      }
      index = end
    }
  }

  /// All samples of a chunk, in no particular order.
  package static func samples(
    in data: [UInt8], of key: ChunkKey, with sealingKey: SealingKey
  ) throws(SampleStoreError) -> [StoredSample] {
    var samples: [StoredSample] = []
    var buffer: [UInt8] = []
    try forEach(in: data, of: key, with: sealingKey, buffer: &buffer) {
      (block) throws(SampleBlockError) in
      samples.append(contentsOf: try SampleBlock.decode(block))
    }
    return samples
  }
}

/// Why stored samples can't be read or written.
package enum SampleStoreError: Error, Hashable, LogSafe {
  /// A chunk does not open under its account's key in its row, or contradicts itself.
  case corrupt
  /// Rows changed while the account was locked: a writer does not hold the lock.
  case notLocked

  /// One sentence for the log.
  package var logText: String {
    switch self {
    case .corrupt: "A chunk of samples can't be opened at its position."
    case .notLocked: "Chunks of samples changed although their account was locked."
    }
  }
}
