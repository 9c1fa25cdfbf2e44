import Cryptography
import Domain
import Time

/// The rest of a chunk after the samples of a period were erased: blocks outside the period are
/// copied, blocks across its ends are encoded without the erased samples; all are sealed again.
///
/// Blocks never grow in the process, so a chunk stays within its limits.
struct RewrittenChunk {
  /// The blocks, each after its length, as in a chunk.
  private(set) var data: [UInt8] = []
  /// The number of blocks.
  private(set) var blocks: Int16 = 0
  /// The number of remaining samples.
  private(set) var count = 0
  /// The number of erased samples.
  private(set) var erased = 0
  private(set) var firstTime = Instant.firstWritable
  private(set) var lastTime = Instant.firstWritable
  private(set) var firstSequence: Int64 = .max
  private(set) var lastSequence: Int64 = 0

  /// The chunk of `key` without the samples of `period`, for the row `newKey`.
  ///
  /// Opens every block once.
  ///
  /// - Throws: `SampleStoreError.corrupt` for bytes that are not a chunk.
  init(
    _ bytes: [UInt8], of key: ChunkKey, without period: SamplePeriod?, as newKey: ChunkKey,
    with sealingKey: SealingKey
  ) throws(SampleStoreError) {
    var kept: [[UInt8]] = []
    var erased = 0
    var headers: [SampleBlockHeader] = []
    var buffer: [UInt8] = []
    try SealedBlocks.forEach(in: bytes, of: key, with: sealingKey, buffer: &buffer) {
      (block) throws(SampleBlockError) in
      let header = try SampleBlock.header(of: block)
      var coded = block.indices.map { block[$0] }
      if let period, period.touches(header.firstTime, through: header.lastTime) {
        let samples = try SampleBlock.decode(block)
        let left = samples.filter { !period.contains($0.time) }
        erased += samples.count - left.count
        if left.isEmpty { return }
        if left.count < samples.count { coded = try SampleBlock.encode(left, of: key.type) }
      }
      headers.append(try SampleBlock.header(of: coded.span))
      kept.append(coded)
    }
    self.erased = erased
    for (coded, header) in zip(kept, headers) {
      data += SealedBlocks.frame(coded, for: newKey, with: sealingKey)
      take(header)
    }
  }

  private mutating func take(_ header: SampleBlockHeader) {
    firstTime = blocks == 0 ? header.firstTime : min(firstTime, header.firstTime)
    lastTime = blocks == 0 ? header.lastTime : max(lastTime, header.lastTime)
    firstSequence = min(firstSequence, header.firstSequence)
    lastSequence = max(lastSequence, header.lastSequence)
    blocks += 1
    count += header.count
  }
}

extension SamplePeriod {
  /// Whether it overlaps the times from `first` to `last`.
  func touches(_ first: Instant, through last: Instant) -> Bool {
    last >= from && to.map { first < $0 } ?? true
  }
}
