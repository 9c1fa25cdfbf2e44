import Domain
import JSON
import Time

/// A bundle of observations (FHIR R4, https://hl7.org/fhir/R4/bundle.html, type `collection`).
///
/// The two values of a blood pressure form one observation. They are paired by time and device,
/// within two consecutive batches: an upload has at most as many samples as a batch, so the values
/// of one upload are always paired.
package struct FHIRDownload: Download {
  static let format = AccessFormat.fhir
  static let contentType = "application/fhir+json"
  static let suffix = "fhir.json"

  private let requestID: DataRequestID
  private let time: Instant
  private var hasEntries = false
  /// Blood pressure values whose counterpart was not in their own batch.
  private var waiting: [DeliveredSample] = []

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
    var old = Unpaired(waiting)
    waiting = []
    var new = Unpaired([])
    for sample in samples {
      guard sample.type.isBloodPressure else {
        append(FHIRObservation(sample, of: requestID), to: &bytes)
        continue
      }
      if let other = old.takePartner(of: sample) ?? new.takePartner(of: sample) {
        append(FHIRObservation(other, and: sample, of: requestID), to: &bytes)
      } else {
        new.insert(sample)
      }
    }
    for sample in old.left { append(FHIRObservation(sample, of: requestID), to: &bytes) }
    waiting = new.left
  }

  package mutating func end(_ bytes: inout [UInt8]) {
    for sample in waiting { append(FHIRObservation(sample, of: requestID), to: &bytes) }
    waiting = []
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
private struct Unpaired {
  private struct Key: Hashable {
    let type: DataType
    let time: Instant
    let device: Int32
  }
  private var samples: [Key: [DeliveredSample]] = [:]

  init(_ waiting: [DeliveredSample]) { for sample in waiting { insert(sample) } }

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
