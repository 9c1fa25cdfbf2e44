/// The encoded values of a block, with the statistical moments that precede them.
struct EncodedValues {
  let coding: ValueCoding
  private(set) var moments: [UInt8] = []
  private(set) var bytes: [UInt8] = []

  init(_ samples: [StoredSample], of type: DataType) throws(SampleBlockError) {
    switch type.valueKind {
    case .number:
      var numbers: [Double] = []
      numbers.reserveCapacity(samples.count)
      for sample in samples {
        guard case .number(let number) = sample.value, number.isFinite else { throw .wrongKind }
        numbers.append(number)
      }
      if let (digits, scaled) = Self.scaled(numbers), let sums = ScaledSums(scaled) {
        coding = .scaled(digits)
        sums.append(to: &moments)
        appendDifferences(scaled)
      } else {
        coding = .raw
        appendRaw(numbers)
      }
    case .position:
      coding = .position
      try appendPositions(samples)
    case .code(let names):
      coding = .code
      for sample in samples {
        guard case .code(let code) = sample.value, Int(code) < names.count
        else { throw .wrongKind }
        bytes.append(code)
      }
    }
  }

  /// The numbers times the smallest power of ten that makes all of them whole; nil if six digits
  /// are not enough, or if a number would not decode exactly.
  private static func scaled(_ numbers: [Double]) -> (digits: Int, [Int64])? {
    var digits = 0
    var scaled: [Int64] = []
    scaled.reserveCapacity(numbers.count)
    var index = 0
    while index < numbers.count {
      if let whole = whole(numbers[index], digits: digits) {
        scaled.append(whole)
        index += 1
      } else {
        digits += 1
        guard digits <= 6 else { return nil }
        scaled.removeAll(keepingCapacity: true)
        index = 0
      }
    }
    return (digits, scaled)
  }

  /// The number times ten to the power of `digits`, if that is whole and divides back to the same
  /// double.
  private static func whole(_ number: Double, digits: Int) -> Int64? {
    let product = (number * powersOfTen[digits]).rounded()
    guard product.magnitude <= 0x1p53 else { return nil }
    guard (product / powersOfTen[digits]).bitPattern == number.bitPattern else { return nil }
    return Int64(product)
  }

  private mutating func appendDifferences(_ values: [Int64]) {
    bytes.reserveCapacity(2 * values.count)
    var previous: Int64 = 0
    for value in values {
      bytes.append(zigzag: value - previous)
      previous = value
    }
  }

  private mutating func appendRaw(_ numbers: [Double]) {
    let all = StatisticalMoments(of: numbers.span)
    for number in [all.sum, all.squaredDeviations, all.min, all.max] {
      moments.append(fixed: number.bitPattern)
    }
    for number in numbers { bytes.append(fixed: number.bitPattern) }
  }

  private mutating func appendPositions(_ samples: [StoredSample]) throws(SampleBlockError) {
    var previous: (Int64, Int64) = (0, 0)
    for sample in samples {
      guard case .position(let point) = sample.value else { throw .wrongKind }
      let next = (Int64(point.latitudeE7), Int64(point.longitudeE7))
      bytes.append(zigzag: next.0 - previous.0)
      bytes.append(zigzag: next.1 - previous.1)
      previous = next
    }
  }
}

/// Exact sums of whole numbers relative to the first one: small, and without cancellation.
struct ScaledSums {
  var sum: Int64 = 0
  var squares: UInt64 = 0
  var lowest: Int64 = 0
  var highest: Int64 = 0

  /// Computes the sums; nil if they overflow 64 bits.
  init?(_ values: [Int64]) {
    for value in values {
      let difference = value - values[0]
      let (square, tooLarge) = difference.magnitude
        .multipliedReportingOverflow(by: difference.magnitude)
      let (total, overflow) = squares.addingReportingOverflow(square)
      guard !tooLarge, !overflow, sum.magnitude < 1 << 61 else { return nil }
      squares = total
      sum += difference
      lowest = min(lowest, difference)
      highest = max(highest, difference)
    }
  }

  /// Reads the sums from a block.
  init(_ bytes: Span<UInt8>, _ cursor: inout BlockCursor) throws(SampleBlockError) {
    sum = try cursor.zigzag(bytes)
    squares = try cursor.variable(bytes)
    lowest = try cursor.zigzag(bytes)
    highest = try cursor.zigzag(bytes)
    guard lowest <= 0, highest >= 0 else { throw .corrupt }
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(zigzag: sum)
    bytes.append(variable: squares)
    bytes.append(zigzag: lowest)
    bytes.append(zigzag: highest)
  }

  /// The moments of `count` numbers; `first` is the first one, scaled.
  func moments(count: Int, first: Int64, digits: Int) -> StatisticalMoments {
    let scale = powersOfTen[digits]
    let deviations = countedDeviations(count) / Double(count)
    return StatisticalMoments(
      count: count, sum: (Double(first) * Double(count) + Double(sum)) / scale,
      squaredDeviations: max(deviations, 0) / (scale * scale),
      min: Double(first &+ lowest) / scale, max: Double(first &+ highest) / scale)
  }
  /// The count times the squares less the squared sum, exactly. Uses 128 bits only where 64
  /// overflow, because their conversion is slow.
  private func countedDeviations(_ count: Int) -> Double {
    let (product, isLarge) = UInt64(count).multipliedReportingOverflow(by: squares)
    let (square, isWide) = sum.magnitude.multipliedReportingOverflow(by: sum.magnitude)
    if !isLarge, !isWide, product >= square { return Double(product - square) }
    return Double(Int128(count) * Int128(squares) - Int128(sum) * Int128(sum))
  }
}
