import Domain
import Time

/// An encoded block with the columns that describe it.
struct BlockPiece: Sendable {
  let coded: [UInt8]
  let count: Int
  let firstTime: Instant
  let lastTime: Instant
  let firstSequence: Int64
  let lastSequence: Int64

  /// Divides samples, ordered by time, into blocks of about `SealedBlocks.codedBytesMax` at most.
  static func pieces(
    of samples: [StoredSample], type: DataType
  ) throws(SampleStoreError) -> [BlockPiece] {
    var pieces: [BlockPiece] = []
    try append(samples[...], type, to: &pieces)
    return pieces
  }

  private static func append(
    _ samples: ArraySlice<StoredSample>, _ type: DataType, to pieces: inout [BlockPiece]
  ) throws(SampleStoreError) {
    guard let first = samples.first, let last = samples.last else { return }
    // Samples that certainly fill many blocks are divided before a useless encoding.
    let worthCoding = 10 * SealedBlocks.codedBytesMax
    guard samples.count <= worthCoding else {
      return try cut(samples, into: samples.count / worthCoding + 1, type, to: &pieces)
    }
    let coded = try code(samples, type)
    guard coded.count <= SealedBlocks.codedBytesMax || samples.count == 1 else {
      let parts = coded.count / SealedBlocks.codedBytesMax + 1
      return try cut(samples, into: min(parts, samples.count), type, to: &pieces)
    }
    var (low, high) = (first.sequence, first.sequence)
    for sample in samples {
      low = min(low, sample.sequence)
      high = max(high, sample.sequence)
    }
    pieces.append(
      BlockPiece(
        coded: coded, count: samples.count, firstTime: first.time, lastTime: last.time,
        firstSequence: low, lastSequence: high))
  }

  private static func code(
    _ samples: ArraySlice<StoredSample>, _ type: DataType
  ) throws(SampleStoreError) -> [UInt8] {
    do throws(SampleBlockError) {
      return try SampleBlock.encode(Array(samples), of: type)
    } catch {
      throw .corrupt
    }
  }

  private static func cut(
    _ samples: ArraySlice<StoredSample>, into parts: Int, _ type: DataType,
    to pieces: inout [BlockPiece]
  ) throws(SampleStoreError) {
    var start = samples.startIndex
    for part in 1...parts {
      let end = samples.startIndex + samples.count * part / parts
      if end > start { try append(samples[start..<end], type, to: &pieces) }
      start = end
    }
  }
}
