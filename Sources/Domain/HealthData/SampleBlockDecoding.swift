import Time

extension SampleBlock {
  /// Reads the header of a block in constant time.
  ///
  /// Throws `unknownFormat` and `corrupt`; safe for untrusted bytes.
  package static func header(of bytes: Span<UInt8>) throws(SampleBlockError) -> SampleBlockHeader {
    try BlockParts(bytes).header(bytes)
  }

  /// Unpacks a block, ordered by time and sequence number.
  ///
  /// Throws `unknownFormat` and `corrupt`; safe for untrusted bytes.
  package static func decode(_ bytes: Span<UInt8>) throws(SampleBlockError) -> [StoredSample] {
    let parts = try BlockParts(bytes)
    let values = try parts.values(bytes)
    var cursor = BlockCursor(index: parts.valuesEnd)
    let times = try parts.times(bytes, &cursor)
    let devices = try parts.devices(bytes, &cursor)
    let sequences = try parts.sequences(bytes, &cursor)
    guard cursor.index == bytes.count else { throw .corrupt }
    var samples: [StoredSample] = []
    samples.reserveCapacity(parts.count)
    for index in 0..<parts.count {
      samples.append(
        StoredSample(
          time: times[index], device: devices[index], sequence: sequences[index],
          value: values[index]))
    }
    return samples
  }

  /// Appends the numbers of a block to `numbers`, in order, without decoding times.
  ///
  /// Appends nothing for types without numbers. Throws `unknownFormat` and `corrupt`.
  package static func appendNumbers(
    of bytes: Span<UInt8>, to numbers: inout [Double]
  ) throws(SampleBlockError) {
    try BlockParts(bytes).appendNumbers(bytes, to: &numbers)
  }
}

extension SampleBlock {
  /// The device of all samples of a block, or nil if there are several; decodes nothing.
  ///
  /// Throws `unknownFormat` and `corrupt`.
  static func soleDevice(of bytes: Span<UInt8>) throws(SampleBlockError) -> Int32? {
    let parts = try BlockParts(bytes)
    var cursor = BlockCursor(index: parts.valuesEnd)
    if parts.unit > 0, !parts.stepsAreEqual {
      for _ in 1..<max(2, parts.count) { _ = try cursor.variable(bytes) }
    }
    guard try cursor.count(bytes, bytesEach: 1) == 1 else { return nil }
    guard let device = Int32(exactly: try cursor.variable(bytes)) else { throw .corrupt }
    return device
  }
}

/// The offsets of the parts of a block, read from its header.
struct BlockParts {
  let type: DataType
  let coding: ValueCoding
  let count: Int
  let firstTime: Int64
  let unit: Int64
  let span: Int64
  let stepsAreEqual: Bool
  let firstSequence: Int64
  let lastSequence: Int64
  let scaledSums: ScaledSums?
  let rawMoments: StatisticalMoments?
  let valuesStart: Int
  let valuesEnd: Int

  init(_ bytes: Span<UInt8>) throws(SampleBlockError) {
    var cursor = BlockCursor()
    guard try cursor.byte(bytes) == SampleBlock.format else { throw .unknownFormat }
    guard let type = DataType(rawValue: try cursor.byte(bytes)) else { throw .corrupt }
    self.type = type
    let mode = try cursor.byte(bytes)
    guard let coding = ValueCoding(rawValue: mode & ~SampleBlock.equalSteps), coding.suits(type)
    else { throw .corrupt }
    self.coding = coding
    stepsAreEqual = mode & SampleBlock.equalSteps != 0
    count = try cursor.count(bytes, bytesEach: 1)
    guard count > 0, count <= SampleBlock.samplesMax else { throw .corrupt }

    firstTime = try cursor.zigzag(bytes)
    unit = try Self.positive(cursor.variable(bytes))
    span = try Self.positive(cursor.variable(bytes))
    try Self.check(firstTime, unit, span)
    firstSequence = try Self.positive(cursor.variable(bytes))
    let width = try Self.positive(cursor.variable(bytes))
    guard firstSequence <= .max - width else { throw .corrupt }
    lastSequence = firstSequence + width

    switch coding {
    case .scaled:
      scaledSums = try ScaledSums(bytes, &cursor)
      rawMoments = nil
    case .raw:
      scaledSums = nil
      var numbers: [Double] = []
      for _ in 0..<4 { numbers.append(Double(bitPattern: try cursor.fixed(bytes))) }
      rawMoments = StatisticalMoments(
        count: count, sum: numbers[0], squaredDeviations: numbers[1], min: numbers[2],
        max: numbers[3])
    case .position, .code: (scaledSums, rawMoments) = (nil, nil)
    }
    let length = try cursor.count(bytes, bytesEach: 1)
    valuesStart = cursor.index
    valuesEnd = cursor.index + length
    guard length >= count else { throw .corrupt }
  }

  func header(_ bytes: Span<UInt8>) throws(SampleBlockError) -> SampleBlockHeader {
    var moments = rawMoments
    if case .scaled(let digits) = coding, let scaledSums {
      var cursor = BlockCursor(index: valuesStart)
      let first = try cursor.zigzag(bytes)
      moments = scaledSums.moments(count: count, first: first, digits: digits)
    }
    return SampleBlockHeader(
      type: type, count: count, firstTime: Instant(millisecondsSince1970: firstTime),
      lastTime: Instant(millisecondsSince1970: firstTime + unit * span),
      firstSequence: firstSequence, lastSequence: lastSequence, moments: moments)
  }

  private static func positive(_ value: UInt64) throws(SampleBlockError) -> Int64 {
    guard let signed = Int64(exactly: value) else { throw .corrupt }
    return signed
  }

  /// Checks that all times are in the years 1 to 9999.
  private static func check(
    _ first: Int64, _ unit: Int64, _ span: Int64
  ) throws(SampleBlockError) {
    let range =
      Instant.firstWritable.millisecondsSince1970...Instant.lastWritable.millisecondsSince1970
    let (length, overflow) = unit.multipliedReportingOverflow(by: span)
    guard range.contains(first), !overflow, length <= range.upperBound - first
    else { throw .corrupt }
  }
}

extension BlockParts {
  func appendNumbers(
    _ bytes: Span<UInt8>, to numbers: inout [Double]
  ) throws(SampleBlockError) {
    var cursor = BlockCursor(index: valuesStart)
    switch coding {
    case .scaled(let digits):
      let scale = powersOfTen[digits]
      var value: Int64 = 0
      for _ in 0..<count {
        value &+= try cursor.zigzag(bytes)
        numbers.append(digits == 0 ? Double(value) : Double(value) / scale)
      }
    case .raw:
      for _ in 0..<count {
        let number = Double(bitPattern: try cursor.fixed(bytes))
        guard number.isFinite else { throw .corrupt }
        numbers.append(number)
      }
    case .position, .code: return
    }
    guard cursor.index == valuesEnd else { throw .corrupt }
  }

  func values(_ bytes: Span<UInt8>) throws(SampleBlockError) -> [SampleValue] {
    switch coding {
    case .scaled, .raw:
      var numbers: [Double] = []
      numbers.reserveCapacity(count)
      try appendNumbers(bytes, to: &numbers)
      return numbers.map { .number($0) }
    case .position: return try positions(bytes)
    case .code: return try codes(bytes)
    }
  }

  private func positions(_ bytes: Span<UInt8>) throws(SampleBlockError) -> [SampleValue] {
    var cursor = BlockCursor(index: valuesStart)
    var values: [SampleValue] = []
    values.reserveCapacity(count)
    var (latitude, longitude): (Int64, Int64) = (0, 0)
    for _ in 0..<count {
      latitude &+= try cursor.zigzag(bytes)
      longitude &+= try cursor.zigzag(bytes)
      guard let north = Int32(exactly: latitude), let east = Int32(exactly: longitude)
      else { throw .corrupt }
      do throws(GeoPointError) {
        values.append(.position(try GeoPoint(latitudeE7: north, longitudeE7: east)))
      } catch {
        throw .corrupt
      }
    }
    guard cursor.index == valuesEnd else { throw .corrupt }
    return values
  }

  private func codes(_ bytes: Span<UInt8>) throws(SampleBlockError) -> [SampleValue] {
    guard case .code(let names) = type.valueKind, valuesEnd - valuesStart == count
    else { throw .corrupt }
    var values: [SampleValue] = []
    values.reserveCapacity(count)
    for index in valuesStart..<valuesEnd {
      guard Int(bytes[index]) < names.count else { throw .corrupt }
      values.append(.code(bytes[index]))
    }
    return values
  }

  func times(
    _ bytes: Span<UInt8>, _ cursor: inout BlockCursor
  ) throws(SampleBlockError) -> [Instant] {
    var times: [Instant] = []
    times.reserveCapacity(count)
    var units: Int64 = 0
    for index in 0..<count {
      if index > 0, unit > 0 {
        let step = stepsAreEqual ? 1 : try cursor.variable(bytes)
        guard step <= UInt64(span - units) else { throw .corrupt }
        units += Int64(step)
      }
      times.append(Instant(millisecondsSince1970: firstTime + units * unit))
    }
    guard unit == 0 || units == span else { throw .corrupt }
    return times
  }

  func devices(
    _ bytes: Span<UInt8>, _ cursor: inout BlockCursor
  ) throws(SampleBlockError) -> [Int32] {
    var devices: [Int32] = []
    devices.reserveCapacity(count)
    let runs = try cursor.count(bytes, bytesEach: 1)
    for run in 0..<runs {
      guard let device = Int32(exactly: try cursor.variable(bytes)) else { throw .corrupt }
      let length = try runLength(bytes, &cursor, isLast: run == runs - 1, done: devices.count)
      devices.append(contentsOf: repeatElement(device, count: length))
    }
    guard devices.count == count else { throw .corrupt }
    return devices
  }

  func sequences(
    _ bytes: Span<UInt8>, _ cursor: inout BlockCursor
  ) throws(SampleBlockError) -> [Int64] {
    var sequences: [Int64] = []
    sequences.reserveCapacity(count)
    var expected = firstSequence
    let runs = try cursor.count(bytes, bytesEach: 1)
    for run in 0..<runs {
      let start = expected &+ (try cursor.zigzag(bytes))
      let length = try runLength(bytes, &cursor, isLast: run == runs - 1, done: sequences.count)
      guard start >= firstSequence, start <= lastSequence,
        Int64(length) - 1 <= lastSequence - start
      else { throw .corrupt }
      for offset in 0..<Int64(length) { sequences.append(start + offset) }
      expected = start &+ Int64(length)
    }
    guard sequences.count == count else { throw .corrupt }
    return sequences
  }

  private func runLength(
    _ bytes: Span<UInt8>, _ cursor: inout BlockCursor, isLast: Bool, done: Int
  ) throws(SampleBlockError) -> Int {
    let rest = count - done
    guard rest > 0 else { throw .corrupt }
    if isLast { return rest }
    let length = try cursor.variable(bytes)
    guard length > 0, length <= UInt64(rest) else { throw .corrupt }
    return Int(length)
  }
}
