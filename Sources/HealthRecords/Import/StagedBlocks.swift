import Cryptography
import Domain
import Time

/// Samples of an import in the staging table: packed by type, sealed.
struct StagedBlocks {
  /// The number of samples packed together: as many as one merge stores.
  static let samplesMax = 16_384

  private(set) var numbers: [Int32] = []
  private(set) var counts: [Int32] = []
  private(set) var lastTimes: [Int64] = []
  private(set) var data: [[UInt8]] = []

  /// No blocks.
  init() {}

  /// Packs and seals samples, a block for each type, with numbers from `first` on.
  ///
  /// - Throws: `SampleBlockError` for samples that can't be encoded, which parsed ones always can.
  init(
    _ samples: [Sample], from first: Int32, of key: ImportKey, with sealingKey: SealingKey
  ) throws(SampleBlockError) {
    var byType: [DataType: [StoredSample]] = [:]
    for sample in samples {
      byType[sample.type, default: []].append(
        StoredSample(time: sample.time, device: 0, sequence: 0, value: sample.value))
    }
    for (type, samples) in byType.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let number = first + Int32(numbers.count)
      let ordered = samples.sorted { $0.time < $1.time }
      // Numbered in order, which takes the least room; merging assigns their real numbers.
      let block = try SampleBlock.encode(
        ordered.enumerated().map { $1.numbered(Int64($0)) }, of: type)
      numbers.append(number)
      counts.append(Int32(samples.count))
      lastTimes.append(ordered[ordered.count - 1].time.millisecondsSince1970)
      data.append(sealingKey.seal(block.span, for: key.blockSeal(number)))
    }
  }

  /// Opens a block.
  ///
  /// - Throws: `SampleStoreError.corrupt` if it was not sealed for this import and number.
  static func samples(
    in data: [UInt8], _ number: Int32, of key: ImportKey, with sealingKey: SealingKey
  ) throws(SampleStoreError) -> [NewSample] {
    do {
      let block = try sealingKey.open(data.span, for: key.blockSeal(number))
      let type = try SampleBlock.header(of: block.span).type
      return try SampleBlock.decode(block.span).map {
        NewSample(type: type, time: $0.time, value: $0.value)
      }
    } catch {
      throw .corrupt
    }
  }
}
