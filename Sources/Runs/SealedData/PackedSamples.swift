import Bytes
import Domain
import Postgres
import ServiceKit

/// Encodes a runner's samples of several types: for each type the length of its block in four
/// bytes, big-endian, and the block (`SampleBlock`).
enum PackedSamples {
  /// Encodes samples in any order.
  ///
  /// - Throws: `internalError` for a value that is invalid for its type.
  static func encode(_ samples: [Sample]) throws(ApplicationError) -> [UInt8] {
    var byType: [DataType: [StoredSample]] = [:]
    for (index, sample) in samples.enumerated() {
      byType[sample.type, default: []].append(
        StoredSample(
          time: sample.time, device: 0, sequence: Int64(index), value: sample.value))
    }
    var bytes: [UInt8] = []
    for (type, stored) in byType.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let block: [UInt8]
      do throws(SampleBlockError) { block = try SampleBlock.encode(stored, of: type) } catch {
        throw .internalError(because: "Samples of a check-in can't be encoded.")
      }
      bytes.append(contentsOf: UInt32(block.count).bigEndianBytes)
      bytes.append(contentsOf: block)
    }
    return bytes
  }

  /// Decodes samples; those of each type are ordered by time.
  ///
  /// - Throws: `internalError` for bytes that `encode` did not write.
  static func decode(_ bytes: [UInt8]) throws(ApplicationError) -> [Sample] {
    var samples: [Sample] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { throw damaged }
      let count = Int(UInt32(bigEndianBytes: rest.prefix(4)))
      rest = rest.dropFirst(4)
      guard count > 0, rest.count >= count else { throw damaged }
      let block = rest.prefix(count)
      rest = rest.dropFirst(count)
      do throws(SampleBlockError) {
        let type = try SampleBlock.header(of: block.span).type
        for stored in try SampleBlock.decode(block.span) {
          samples.append(Sample(stored: type, time: stored.time, value: stored.value))
        }
      } catch {
        throw damaged
      }
    }
    return samples
  }

  private static var damaged: ApplicationError {
    .internalError(because: "Stored samples of a run can't be decoded.")
  }
}
