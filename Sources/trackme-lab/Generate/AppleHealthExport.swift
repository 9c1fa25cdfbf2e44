import Bytes

/// Generates an `export.xml` of Apple Health in pieces: Apple's format with its document type
/// declaration, and records of several types over some years. The same seed and size produce the
/// same file.
///
/// It contains no personal data: values vary at random within usual ranges.
package struct AppleHealthExport {
  /// The approximate size of a piece in bytes.
  static let pieceBytes = 256 * 1024

  private let bytesAim: Int
  private let start: Int64
  private let seconds: Int64
  private var random: DeterministicRandom
  private var clock = ExportClock()
  private var section = 0
  private var sectionBytes = 0
  private var time: Double = 0
  private var written = 0
  private var isBegun = false
  private var isEnded = false

  /// An export of about this many bytes, at least the frame's size of some 6,000.
  package init(bytes: Int, seed: UInt64) {
    bytesAim = bytes
    random = DeterministicRandom(seed: seed)
    // Twelve days per megabyte match the density of a watch's exports; ten years are the maximum.
    let days = Int64(min(3_600, max(30, bytes / 1_000_000 * 12)))
    seconds = days * 86_400
    start = ExportFrame.exportedAt - seconds
  }

  /// The next piece, nil after the last.
  package mutating func next() -> [UInt8]? {
    guard !isEnded else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.pieceBytes + 4_096)
    if !isBegun {
      isBegun = true
      ExportFrame.appendBeginning(to: &bytes, &clock)
    }
    while bytes.count < Self.pieceBytes, section < ExportSection.all.count {
      appendRecord(to: &bytes)
    }
    if section == ExportSection.all.count {
      isEnded = true
      ExportFrame.appendEnd(to: &bytes, &clock)
    }
    written += bytes.count
    return bytes
  }

  private mutating func appendRecord(to bytes: inout [UInt8]) {
    let kind = ExportSection.all[section]
    let room = Double(bytesAim - ExportFrame.bytes) * kind.share
    let expected = max(1, room / Double(kind.recordBytes))
    guard Double(sectionBytes) < room else {
      section += 1
      sectionBytes = 0
      time = 0
      return
    }
    // Steps between 0.5 and 1.5 times the mean, so that the records cover the whole period.
    time += Double(seconds) / expected * (0.5 + random.fraction()) * 0.98
    let moment = start + min(Int64(time), seconds - 40_000)
    let before = bytes.count
    kind.append(moment, to: &bytes, &clock, &random)
    sectionBytes += bytes.count - before
  }
}

/// A pseudo-random sequence that is the same for the same seed.
package struct DeterministicRandom {
  private var numbers: SplitMix64

  /// A sequence with this seed.
  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  /// A number in [0, 1).
  mutating func fraction() -> Double { numbers.nextShare() }

  /// A whole number in a range.
  mutating func whole(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
}
