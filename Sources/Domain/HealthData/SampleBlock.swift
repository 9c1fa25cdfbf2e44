import Time

/// Samples of one type, packed into about one to three bytes each.
///
/// Format 1. All numbers are variable-length integers (zigzag where negative values are possible)
/// unless noted:
/// - byte: format; byte: type; byte: encoding of the values (`ValueCoding`), plus 128 where all
///   steps in time are equal; count
/// - first time in ms; time unit in ms (0 if all times are equal; every step is a multiple of it);
///   last time less first in units
/// - smallest sequence number; largest less smallest
/// - numbers only: sums of the differences from the first number and of their squares, smallest and
///   largest difference, in units of the scale (raw numbers: sum, squared deviations, minimum,
///   maximum as eight bytes each)
/// - length of the values in bytes; values: the first, then differences (`ValueCoding`)
/// - steps in time in units, unless equal
/// - runs of the same device: number of runs, then device and length of each, the last without
///   length
/// - runs of consecutive sequence numbers: number of runs, then for each the difference of its
///   first number from the expected one (the smallest, later the one after the previous run) and
///   its length, the last without length
///
/// A block decodes to exactly the encoded samples, ordered by time and sequence number.
package enum SampleBlock {
  /// The largest number of samples in a block.
  package static let samplesMax = 1_000_000

  /// The written format; readers reject any other.
  static let format: UInt8 = 1

  /// The flag for equal steps in time in the third byte.
  static let equalSteps: UInt8 = 128

  /// Packs samples of one type, given in any order.
  ///
  /// Throws `empty`, `tooMany` over a million, `wrongKind` for a value of a kind other than the
  /// type's, `outOfRange` for a negative device or number.
  package static func encode(
    _ samples: [StoredSample], of type: DataType
  ) throws(SampleBlockError) -> [UInt8] {
    guard !samples.isEmpty else { throw .empty }
    guard samples.count <= samplesMax else { throw .tooMany }
    guard samples.allSatisfy({ $0.device >= 0 && (0..<Int64.max).contains($0.sequence) })
    else { throw .outOfRange }
    let ordered = inOrder(samples)
    let values = try EncodedValues(ordered, of: type)
    let steps = TimeSteps(ordered)

    var bytes: [UInt8] = []
    bytes.reserveCapacity(48 + values.bytes.count + 2 * ordered.count)
    bytes.append(format)
    bytes.append(type.rawValue)
    bytes.append(values.coding.rawValue | (steps.areEqual ? equalSteps : 0))
    bytes.append(variable: UInt64(ordered.count))
    steps.appendHeader(to: &bytes)
    let sequences = SequenceRuns(ordered)
    sequences.appendHeader(to: &bytes)
    bytes.append(contentsOf: values.moments)
    bytes.append(variable: UInt64(values.bytes.count))
    bytes.append(contentsOf: values.bytes)
    steps.appendSteps(to: &bytes)
    appendDevices(ordered, to: &bytes)
    sequences.appendRuns(to: &bytes)
    return bytes
  }

  private static func inOrder(_ samples: [StoredSample]) -> [StoredSample] {
    func comesBefore(_ left: StoredSample, _ right: StoredSample) -> Bool {
      (left.time, left.sequence) < (right.time, right.sequence)
    }
    for index in samples.indices.dropFirst()
    where comesBefore(samples[index], samples[index - 1]) {
      return samples.sorted(by: comesBefore)
    }
    return samples
  }

  private static func appendDevices(_ samples: [StoredSample], to bytes: inout [UInt8]) {
    var runs: [(device: Int32, length: Int)] = []
    for sample in samples {
      if let last = runs.last, last.device == sample.device {
        runs[runs.count - 1].length += 1
      } else {
        runs.append((sample.device, 1))
      }
    }
    bytes.append(variable: UInt64(runs.count))
    for (index, run) in runs.enumerated() {
      bytes.append(variable: UInt64(run.device))
      if index < runs.count - 1 { bytes.append(variable: UInt64(run.length)) }
    }
  }
}

/// How the values of a block are encoded; the raw value is its code in the third byte.
enum ValueCoding: Hashable {
  /// Numbers times ten to this power (0–6) as whole numbers: differences from the previous one.
  case scaled(Int)
  /// Numbers as the eight bytes of a double.
  case raw
  /// Latitude and longitude in ten-millionths: differences from the previous ones.
  case position
  /// Codes.
  case code

  init?(rawValue: UInt8) {
    switch rawValue {
    case 0...6: self = .scaled(Int(rawValue))
    case 7: self = .raw
    case 8: self = .position
    case 9: self = .code
    default: return nil
    }
  }

  var rawValue: UInt8 {
    switch self {
    case .scaled(let digits): UInt8(digits)
    case .raw: 7
    case .position: 8
    case .code: 9
    }
  }

  /// Whether this encoding is valid for values of this type.
  func suits(_ type: DataType) -> Bool {
    switch (self, type.valueKind) {
    case (.scaled, .number), (.raw, .number), (.position, .position), (.code, .code): true
    default: false
    }
  }
}

/// The times of a block: the first, and steps in a common unit.
private struct TimeSteps {
  let first: Int64
  let unit: Int64
  let span: Int64
  let areEqual: Bool
  let steps: [Int64]

  init(_ samples: [StoredSample]) {
    let times = samples.map(\.time.millisecondsSince1970)
    first = times[0]
    let differences = zip(times.dropFirst(), times).map { $0 - $1 }
    var unit: Int64 = 0
    for difference in differences where unit != 1 {
      var rest = difference
      while rest != 0 { (unit, rest) = (rest, unit % rest) }
    }
    self.unit = unit
    span = unit == 0 ? 0 : (times[times.count - 1] - first) / unit
    areEqual = differences.allSatisfy { $0 == unit }
    steps = areEqual ? [] : differences.map { $0 / unit }
  }

  func appendHeader(to bytes: inout [UInt8]) {
    bytes.append(zigzag: first)
    bytes.append(variable: UInt64(unit))
    bytes.append(variable: UInt64(span))
  }

  func appendSteps(to bytes: inout [UInt8]) {
    for step in steps { bytes.append(variable: UInt64(step)) }
  }
}

/// The sequence numbers of a block as runs of consecutive ones.
private struct SequenceRuns {
  let smallest: Int64
  let greatest: Int64
  private var runs: [(difference: Int64, length: Int)] = []

  init(_ samples: [StoredSample]) {
    smallest = samples.reduce(.max) { min($0, $1.sequence) }
    greatest = samples.reduce(0) { max($0, $1.sequence) }
    var expected = smallest
    for sample in samples {
      if sample.sequence == expected, !runs.isEmpty {
        runs[runs.count - 1].length += 1
      } else {
        runs.append((sample.sequence - expected, 1))
      }
      expected = sample.sequence &+ 1
    }
  }

  func appendHeader(to bytes: inout [UInt8]) {
    bytes.append(variable: UInt64(smallest))
    bytes.append(variable: UInt64(greatest - smallest))
  }

  func appendRuns(to bytes: inout [UInt8]) {
    bytes.append(variable: UInt64(runs.count))
    for (index, run) in runs.enumerated() {
      bytes.append(zigzag: run.difference)
      if index < runs.count - 1 { bytes.append(variable: UInt64(run.length)) }
    }
  }
}
