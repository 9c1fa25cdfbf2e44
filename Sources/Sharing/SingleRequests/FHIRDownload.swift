import Domain
import JSON
import Time

/// A bundle of observations (FHIR R4, https://hl7.org/fhir/R4/bundle.html, type `collection`).
///
/// The two values of a blood pressure form one observation. They are paired by time and device,
/// within two consecutive stretches of as many samples as an upload may have, so the values of one
/// upload are always paired.
package struct FHIRDownload: Download {
  static let format = AccessFormat.fhir
  static let contentType = "application/fhir+json"
  static let suffix = "fhir.json"
  /// The samples of a stretch: the largest upload, and a batch of a download.
  private static let stretchMax = 10_000

  private let requestID: DataRequestID
  private let time: Instant
  private var hasEntries = false
  /// Blood pressure values without their counterpart in their own stretch, the one before this.
  private var unpairedBefore = Unpaired()
  /// Those of this stretch.
  private var unpairedNow = Unpaired()
  /// Values that found no counterpart in two stretches, and are not written yet. They are written
  /// with later samples, so that a stretch of them is not encoded at once.
  private var single: ArraySlice<DeliveredSample> = []
  private var isEnding = false
  /// The samples of this stretch so far.
  private var count = 0

  /// The bundle of a request's data, created now.
  package init(_ requestID: DataRequestID, at time: Instant) {
    self.requestID = requestID
    self.time = time
  }

  package func begin(_ bytes: inout [UInt8]) {
    bytes.append(
      contentsOf: """
        {"resourceType":"Bundle","id":"\(requestID)","type":"collection","timestamp":"\(time)"
        """.utf8)
  }

  package mutating func add(_ samples: [DeliveredSample], to bytes: inout [UInt8]) {
    for sample in samples {
      if count == Self.stretchMax { beginStretch() }
      count += 1
      guard sample.type.isBloodPressure else {
        append(FHIRObservation(sample, of: requestID), to: &bytes)
        continue
      }
      var other = unpairedBefore.takePartner(of: sample)
      if other == nil { other = unpairedNow.takePartner(of: sample) }
      if let other {
        append(FHIRObservation(other, and: sample, of: requestID), to: &bytes)
      } else {
        unpairedNow.insert(sample)
      }
    }
    appendSingle(samples.count, to: &bytes)
  }

  private mutating func appendSingle(_ countMax: Int, to bytes: inout [UInt8]) {
    for sample in single.prefix(countMax) {
      append(FHIRObservation(sample, of: requestID), to: &bytes)
    }
    single = single.dropFirst(countMax)
  }

  private mutating func beginStretch() {
    single += unpairedBefore.left
    unpairedBefore = unpairedNow
    unpairedNow = Unpaired()
    count = 0
  }

  mutating func addRest(_ countMax: Int, to bytes: inout [UInt8]) -> Bool {
    beginEnd()
    guard !single.isEmpty else { return false }
    appendSingle(countMax, to: &bytes)
    return true
  }

  private mutating func beginEnd() {
    guard !isEnding else { return }
    isEnding = true
    beginStretch()
    beginStretch()
  }

  package mutating func end(_ bytes: inout [UInt8]) {
    beginEnd()
    appendSingle(single.count, to: &bytes)
    bytes.append(contentsOf: hasEntries ? "]}".utf8 : "}".utf8)
  }

  // FHIR forbids empty arrays.
  private mutating func append(_ observation: FHIRObservation, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: hasEntries ? ",".utf8 : ",\"entry\":[".utf8)
    hasEntries = true
    var writer = JSONWriter(capacity: 700)
    writer.object { writer in
      writer.field("fullUrl", observation.address)
      writer.object("resource") { observation.write(to: &$0) }
    }
    bytes.append(contentsOf: writer.bytes)
  }
}

extension DataType {
  /// Whether it is one of the two values of a blood pressure.
  var isBloodPressure: Bool {
    self == .bloodPressureSystolic || self == .bloodPressureDiastolic
  }
}

/// Blood pressure values without their counterpart.
private struct Unpaired: Sendable {
  private struct Key: Hashable {
    let type: DataType
    let time: Instant
    let device: Int32
  }
  private var samples: [Key: [DeliveredSample]] = [:]

  init() {}

  mutating func insert(_ sample: DeliveredSample) {
    samples[Self.key(of: sample, as: sample.type), default: []].append(sample)
  }

  mutating func takePartner(of sample: DeliveredSample) -> DeliveredSample? {
    let other: DataType =
      sample.type == .bloodPressureSystolic ? .bloodPressureDiastolic : .bloodPressureSystolic
    let key = Self.key(of: sample, as: other)
    guard var found = samples[key] else { return nil }
    let first = found.removeFirst()
    samples[key] = found.isEmpty ? nil : found
    return first
  }

  /// The values that remain unpaired, in the order of their numbers.
  var left: [DeliveredSample] { samples.values.joined().sorted { $0.number < $1.number } }

  private static func key(of sample: DeliveredSample, as type: DataType) -> Key {
    Key(type: type, time: sample.sample.time, device: sample.sample.device)
  }
}
