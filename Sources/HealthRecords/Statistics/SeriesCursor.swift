import Bytes
import Domain
import ServiceKit
import Time

/// Where a page of a series ended: the time and the number of its last sample; for a coarser
/// series, the time of the next point.
package struct SeriesCursor: Hashable, Sendable {
  let type: DataType
  let granularity: Granularity
  let time: Instant
  let sequence: Int64

  private static let version: UInt8 = 1
  private static let byteCount = 19

  init(type: DataType, granularity: Granularity, time: Instant, sequence: Int64) {
    self.type = type
    self.granularity = granularity
    self.time = time
    self.sequence = sequence
  }

  /// Reads the text of a cursor.
  ///
  /// It contains nothing secret to its bearer and grants no right, hence it has no signature.
  ///
  /// - Throws: `invalid` for a cursor that is not of this type and granularity.
  init(_ text: String, type: DataType, granularity: Granularity) throws(ApplicationError) {
    let refusal = ApplicationError.invalid(
      "The cursor must be the `next` of a page of the same series.", field: "cursor")
    guard let bytes = Base64.url.decode(text.utf8.span), bytes.count == Self.byteCount,
      bytes[0] == Self.version, bytes[1] == type.rawValue, bytes[2] == granularity.code
    else { throw refusal }
    let milliseconds = Int64(bigEndianBytes: bytes[3..<11])
    time = Instant(millisecondsSince1970: milliseconds)
    sequence = Int64(bigEndianBytes: bytes[11..<19])
    guard time.millisecondsSince1970 == milliseconds, sequence >= 0 else { throw refusal }
    self.type = type
    self.granularity = granularity
  }

  /// The text that clients send back.
  var text: String {
    let bytes =
      [Self.version, type.rawValue, granularity.code]
      + time.millisecondsSince1970.bigEndianBytes + sequence.bigEndianBytes
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a sample comes after the cursor.
  func precedes(_ sample: StoredSample) -> Bool {
    (time, sequence) < (sample.time, sample.sequence)
  }
}

extension Granularity {
  /// The number in a cursor.
  var code: UInt8 {
    switch self {
    case .raw: 0
    case .hour: 1
    case .day: 2
    case .week: 3
    case .month: 4
    }
  }
}
