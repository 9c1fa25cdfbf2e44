import Domain
import Requirements
import Support
import Testing
import Time

@Suite("packed samples")
struct SampleBlockTests {
  static let start = Instant(millisecondsSince1970: 1_706_227_200_000)

  static func value(_ type: DataType, _ random: inout SeededRandom) throws -> SampleValue {
    switch type.valueKind {
    case .number(let range):
      let number = Double.random(in: range, using: &random)
      return switch Int.random(in: 0..<8, using: &random) {
      case 0: .number(number)
      case 1..<4: .number((number * 100).rounded() / 100)
      default: .number(number.rounded())
      }
    case .position:
      return .position(
        try GeoPoint(
          latitude: .random(in: -90...90, using: &random),
          longitude: .random(in: -180...180, using: &random)))
    case .code(let names): return .code(.random(in: 0..<UInt8(names.count), using: &random))
    }
  }

  static func samples(
    _ type: DataType, count: Int, _ random: inout SeededRandom
  ) throws -> [StoredSample] {
    try (0..<count).map { index in
      StoredSample(
        time: start.adding(milliseconds: .random(in: 0..<86_400_000, using: &random)),
        device: .random(in: 0...3, using: &random), sequence: Int64(1000 + index),
        value: try value(type, &random))
    }
  }

  static func decode(_ bytes: [UInt8]) throws -> [StoredSample] {
    try SampleBlock.decode(bytes.span)
  }

  static func isInOrder(_ left: StoredSample, _ right: StoredSample) -> Bool {
    (left.time, left.sequence) < (right.time, right.sequence)
  }

  @Test("random samples of every type are decoded exactly", arguments: DataType.allCases)
  func roundTrip(_ type: DataType) throws {
    var random = SeededRandom()
    for _ in 0..<40 {
      let samples = try Self.samples(type, count: .random(in: 1...120, using: &random), &random)
      let bytes = try SampleBlock.encode(samples, of: type)
      #expect(try Self.decode(bytes) == samples.sorted(by: Self.isInOrder))
      let header = try SampleBlock.header(of: bytes.span)
      #expect(header.type == type && header.count == samples.count)
      #expect(header.firstTime == samples.map(\.time).min())
      #expect(header.lastTime == samples.map(\.time).max())
      #expect(header.firstSequence == 1000)
      #expect(header.lastSequence == Int64(999 + samples.count))
      try expectMoments(header.moments, of: samples)
    }
  }

  func expectMoments(_ moments: StatisticalMoments?, of samples: [StoredSample]) throws {
    let numbers = samples.compactMap(\.value.number)
    guard !numbers.isEmpty else {
      #expect(moments == nil)
      return
    }
    let expected = StatisticalMoments(of: numbers.span)
    let found = try #require(moments)
    #expect(found.count == expected.count)
    #expect(found.min == expected.min && found.max == expected.max)
    #expect(StatisticsTests.isClose(found.sum, expected.sum))
    #expect(
      StatisticsTests.isClose(found.squaredDeviations, expected.squaredDeviations, 1e-7))
  }

  @Test("numbers without a decimal scale are decoded bit by bit")
  func rawNumbers() throws {
    let numbers = [0.1 + 0.2, Double.pi, 1e-300, 1e300, Double.leastNonzeroMagnitude, 72, -0.0, 0]
    let samples = numbers.enumerated().map { index, number in
      StoredSample(
        time: Self.start.adding(seconds: Int64(index)), device: 1, sequence: Int64(index),
        value: .number(number))
    }
    let bytes = try SampleBlock.encode(samples, of: .steps)
    let found = try Self.decode(bytes).compactMap(\.value.number)
    #expect(found.map(\.bitPattern) == numbers.map(\.bitPattern))
  }

  @Test("times at both ends of the calendar and equal times are decoded")
  func times() throws {
    let times = [
      Instant.firstWritable, .firstWritable, Instant(millisecondsSince1970: 0), .lastWritable,
      .lastWritable,
    ]
    let samples = times.enumerated().map {
      StoredSample(time: $1, device: .max, sequence: Int64($0), value: .number(60))
    }
    for part in [samples, Array(samples[..<2]), Array(samples[..<1]), Array(samples[1...2])] {
      let bytes = try SampleBlock.encode(part, of: .heartRate)
      #expect(try Self.decode(bytes) == part)
    }
  }

  @Test("sequence numbers may be in any order")
  func sequences() throws {
    let numbers: [Int64] = [5, 6, 3, 9, 10, 11, .max - 1, 0]
    let samples = numbers.enumerated().map {
      StoredSample(
        time: Self.start.adding(seconds: Int64($0)), device: 0, sequence: $1, value: .number(60))
    }
    let bytes = try SampleBlock.encode(samples, of: .heartRate)
    #expect(try Self.decode(bytes) == samples)
  }

  @Test("heart rate takes at most 5 bytes per sample if hourly, 1.5 if one a second", .tags(.NFR_1))
  func bytesPerSample() throws {
    var random = SeededRandom()
    func heartRate(count: Int, stepSeconds: Int64) throws -> Double {
      var rate = 70
      let samples = (0..<count).map { index in
        rate = min(max(rate + .random(in: -4...4, using: &random), 45), 180)
        return StoredSample(
          time: Self.start.adding(seconds: Int64(index) * stepSeconds), device: 7,
          sequence: 1_000_000 + Int64(index), value: .number(Double(rate)))
      }
      let bytes = try SampleBlock.encode(samples, of: .heartRate)
      return Double(bytes.count) / Double(count)
    }
    let hourly = try heartRate(count: 24, stepSeconds: 3600)
    let everySecond = try heartRate(count: 3600, stepSeconds: 1)
    print("bytes per sample: hourly \(hourly), every second \(everySecond)")
    #expect(hourly <= 5)
    #expect(everySecond <= 1.5)
  }

  @Test("a walk of one position a second takes at most 5 bytes per sample", .tags(.NFR_1))
  func bytesPerPosition() throws {
    var random = SeededRandom()
    var (latitude, longitude): (Int32, Int32) = (454_781_000, 92_273_000)
    let samples = try (0..<Int64(600)).map { index in
      latitude += .random(in: -200...200, using: &random)
      longitude += .random(in: -200...200, using: &random)
      return StoredSample(
        time: Self.start.adding(seconds: index), device: 1, sequence: index,
        value: .position(try GeoPoint(latitudeE7: latitude, longitudeE7: longitude)))
    }
    #expect(try SampleBlock.encode(samples, of: .position).count <= 5 * 600)
  }

  @Test("the numbers alone equal those of the samples")
  func numbersAlone() throws {
    var random = SeededRandom()
    let samples = try Self.samples(.bodyTemperature, count: 50, &random)
      .sorted(by: Self.isInOrder)
    let bytes = try SampleBlock.encode(samples, of: .bodyTemperature)
    var numbers = [1.0]
    try SampleBlock.appendNumbers(of: bytes.span, to: &numbers)
    #expect(numbers == [1] + samples.compactMap(\.value.number))
  }

  @Test("every documented error of a block")
  func errors() throws {
    func sample(_ value: SampleValue, device: Int32 = 0, sequence: Int64 = 0) -> StoredSample {
      StoredSample(time: Self.start, device: device, sequence: sequence, value: value)
    }
    #expect(throws: SampleBlockError.empty) { try SampleBlock.encode([], of: .steps) }
    for value in [SampleValue.code(0), .number(.nan), .number(.infinity)] {
      #expect(throws: SampleBlockError.wrongKind) {
        try SampleBlock.encode([sample(value)], of: .steps)
      }
    }
    #expect(throws: SampleBlockError.wrongKind) {
      try SampleBlock.encode([sample(.code(2))], of: .activity)
    }
    #expect(throws: SampleBlockError.outOfRange) {
      try SampleBlock.encode([sample(.number(1), device: -1)], of: .steps)
    }
    #expect(throws: SampleBlockError.outOfRange) {
      try SampleBlock.encode([sample(.number(1), sequence: -1)], of: .steps)
    }
    #expect(throws: SampleBlockError.tooMany) {
      try SampleBlock.encode(
        Array(repeating: sample(.number(1)), count: SampleBlock.samplesMax + 1), of: .steps)
    }
    var bytes = try SampleBlock.encode([sample(.number(1))], of: .steps)
    #expect(throws: SampleBlockError.corrupt) { try Self.decode(bytes + [0]) }
    #expect(throws: SampleBlockError.corrupt) { try Self.decode(bytes.dropLast()) }
    bytes[0] = 2
    #expect(throws: SampleBlockError.unknownFormat) { try Self.decode(bytes) }
  }

  @Test("a damaged block is rejected or decoded, without a trap")
  func damaged() throws {
    var random = SeededRandom()
    for round in 0..<4000 {
      let type = DataType.allCases[round % DataType.allCases.count]
      let samples = try Self.samples(type, count: .random(in: 1...20, using: &random), &random)
      var bytes = try SampleBlock.encode(samples, of: type)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where bytes.count > 2: bytes.remove(at: index)
        case 1: bytes.insert(.random(in: 0...255, using: &random), at: index)
        case 2: bytes[index] = 0xFF
        default: bytes[index] = .random(in: 0...255, using: &random)
        }
      }
      if let decoded = try? Self.decode(bytes) {
        #expect(decoded.count <= bytes.count)
      }
      _ = try? SampleBlock.header(of: bytes.span)
      var numbers: [Double] = []
      try? SampleBlock.appendNumbers(of: bytes.span, to: &numbers)
    }
  }

  @Test("random bytes are rejected or decoded, without a trap")
  func randomBytes() {
    var random = SeededRandom()
    for _ in 0..<5000 {
      var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if bytes.count > 3 {
        bytes[0] = 1
        bytes[1] = .random(in: 0...24, using: &random)
        bytes[2] = .random(in: 0...9, using: &random) | (Bool.random(using: &random) ? 128 : 0)
      }
      _ = try? Self.decode(bytes)
      _ = try? SampleBlock.header(of: bytes.span)
    }
  }

  @Test("duplicate samples are identified by time, device and value", .tags(.R7))
  func duplicates() {
    let sample = StoredSample(time: Self.start, device: 1, sequence: 5, value: .number(60))
    func other(_ seconds: Int64, _ device: Int32, _ value: Double) -> StoredSample {
      StoredSample(
        time: Self.start.adding(milliseconds: seconds), device: device, sequence: 9,
        value: .number(value))
    }
    #expect(sample.isDuplicate(of: other(0, 1, 60)))
    #expect(!sample.isDuplicate(of: other(1, 1, 60)))
    #expect(!sample.isDuplicate(of: other(0, 2, 60)))
    #expect(!sample.isDuplicate(of: other(0, 1, 61)))
  }
}
