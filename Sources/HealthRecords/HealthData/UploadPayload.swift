import Domain
import JSON
import ServiceKit
import Time

/// The body of `/data/upload`: parallel arrays, read straight from the bytes.
struct UploadPayload {
  /// The maximum number of samples in one upload.
  static let samplesMax = 10_000

  private(set) var types: [DataType]?
  private(set) var times: [Instant]?
  private(set) var values: [SampleValue]?
  private(set) var onBody: [Bool?]?
  private let now: Instant
  private let device: Int32

  /// Reads and checks a body; `now` is the server's time, `device` the account's number of the
  /// sending device, 0 for a manual entry.
  ///
  /// - Throws: `invalid` that names the field, such as `values[999]`.
  static func samples(
    in body: [UInt8], now: Instant, from device: Int32 = 0
  ) throws(ApplicationError) -> ReceivedSamples {
    var payload = UploadPayload(now: now, device: device)
    do throws(JSONError) {
      try payload.read(body)
    } catch {
      throw ApplicationError(error)
    }
    return try payload.samples()
  }

  private init(now: Instant, device: Int32) {
    self.now = now
    self.device = device
  }

  private mutating func read(_ body: [UInt8]) throws(JSONError) {
    var reader = JSONReader(body)
    var skippedValues: Range<Int>?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "dataTypes": types = try Self.types(&reader)
      case "timestamp": times = try readTimes(&reader)
      case "onBody": onBody = try Self.flags(&reader)
      case "values":
        // The type determines the form of a value, so values before their types are read later.
        if let types {
          values = try Self.values(&reader, of: types)
        } else {
          skippedValues = try reader.skip()
        }
      default: break
      }
    }
    try reader.finish()
    guard let types else { throw reader.missing("dataTypes") }
    if let skippedValues {
      values = try Self.values(in: body, skippedValues, of: types)
    }
    if values == nil { throw reader.missing("values") }
    if times == nil { throw reader.missing("timestamp") }
  }

  private static func flags(_ reader: inout JSONReader) throws(JSONError) -> [Bool?] {
    var flags: [Bool?] = []
    try reader.beginArray(countMax: samplesMax)
    while try reader.nextElement() {
      flags.append(try reader.null() ? nil : try reader.boolean())
    }
    return flags
  }

  private static func types(_ reader: inout JSONReader) throws(JSONError) -> [DataType] {
    var types: [DataType] = []
    try reader.beginArray(countMax: samplesMax)
    while try reader.nextElement() {
      guard let type = try reader.stringBytes({ DataType(name: $0) }) else {
        throw reader.refusal("Name a data type, such as heartRate.")
      }
      types.append(type)
    }
    return types
  }

  private func readTimes(_ reader: inout JSONReader) throws(JSONError) -> [Instant] {
    var times: [Instant] = []
    try reader.beginArray(countMax: Self.samplesMax)
    while try reader.nextElement() {
      switch try reader.stringBytes({ Self.time($0, now: now) }) {
      case .success(let time): times.append(time)
      case .failure(let refusal): throw reader.refusal(refusal.sentence)
      }
    }
    return times
  }

  /// The fault of an element, as a sentence.
  private struct Refusal: Error {
    let sentence: String
  }

  private static func time(_ text: Span<UInt8>, now: Instant) -> Result<Instant, Refusal> {
    let time: Instant
    do throws(InstantError) {
      time = try Instant(utf8: text)
    } catch {
      return .failure(Refusal(sentence: error.description))
    }
    do throws(SampleTimeError) {
      try SampleTimeLimits.check(time, now: now)
      return .success(time)
    } catch {
      return .failure(Refusal(sentence: error.description))
    }
  }

  private static func values(
    _ reader: inout JSONReader, of types: [DataType]
  ) throws(JSONError) -> [SampleValue] {
    var values: [SampleValue] = []
    values.reserveCapacity(types.count)
    try reader.beginArray(countMax: samplesMax)
    while try reader.nextElement() {
      // More values than types: their types are unknown, and the lengths are compared later.
      guard values.count < types.count else {
        try reader.skip()
        throw reader.refusal("Give a data type for each value: this one has none.")
      }
      let type = types[values.count]
      switch try reader.scalarBytes({ Self.value($1, of: type) }) {
      case .success(let value): values.append(value)
      case .failure(let refusal): throw reader.refusal(refusal.sentence)
      }
    }
    return values
  }

  private static func value(
    _ text: Span<UInt8>, of type: DataType
  ) -> Result<SampleValue, Refusal> {
    do throws(SampleValueError) {
      return .success(try SampleValue(judged: text, of: type))
    } catch {
      return .failure(Refusal(sentence: error.description))
    }
  }

  /// Reads the values again that came before their types.
  private static func values(
    in body: [UInt8], _ range: Range<Int>, of types: [DataType]
  ) throws(JSONError) -> [SampleValue] {
    var reader = JSONReader(body, in: range)
    do throws(JSONError) {
      return try values(&reader, of: types)
    } catch {
      var located = error
      located.path = "values" + error.path
      located.offset += range.lowerBound
      throw located
    }
  }

  /// The samples, after the lengths of the arrays and the rules between samples were checked.
  private func samples() throws(ApplicationError) -> ReceivedSamples {
    let (types, values, times) = (types ?? [], values ?? [], times ?? [])
    guard !types.isEmpty else {
      throw .invalid("Give at least one sample.", field: "dataTypes")
    }
    guard values.count == types.count else {
      throw .invalid("Give as many values as data types.", field: "values")
    }
    guard times.count == types.count else {
      throw .invalid("Give as many times as data types.", field: "timestamp")
    }
    guard onBody.map({ $0.count == types.count }) ?? true else {
      throw .invalid("Give true, false or null for each data type.", field: "onBody")
    }
    try checkBloodPressure(types, values, times)
    var samples: [NewSample] = []
    samples.reserveCapacity(types.count)
    for index in types.indices {
      samples.append(
        NewSample(
          type: types[index], time: times[index], device: device, value: values[index]))
    }
    return ReceivedSamples(samples, onBody: onBody ?? [])
  }

  private func checkBloodPressure(
    _ types: [DataType], _ values: [SampleValue], _ times: [Instant]
  ) throws(ApplicationError) {
    let all = DataTypeSet(types)
    guard all.contains(.bloodPressureSystolic), all.contains(.bloodPressureDiastolic) else {
      return
    }
    let samples = types.indices.map {
      Sample(stored: types[$0], time: times[$0], value: values[$0])
    }
    if let index = BloodPressureRule.firstViolation(in: samples) {
      throw .invalid(
        "The systolic pressure must be above the diastolic one of the same time.",
        field: "values[\(index)]")
    }
  }
}
