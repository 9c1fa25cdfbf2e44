import Bytes
import Cryptography
import Domain
import JSON
import Time

/// A sample, or the two values of a blood pressure, as an Observation of FHIR R4.
///
/// Its subject is the request, a pseudonym: it contains no name, fiscal code or account.
struct FHIRObservation {
  private let requestID: DataRequestID
  private let samples: [DeliveredSample]

  /// One sample; a single value of a blood pressure states that the other one is unknown.
  init(_ sample: DeliveredSample, of requestID: DataRequestID) {
    self.requestID = requestID
    samples = [sample]
  }

  /// The two values of a blood pressure, in either order.
  init(_ one: DeliveredSample, and other: DeliveredSample, of requestID: DataRequestID) {
    self.requestID = requestID
    samples = [one, other]
  }

  private var first: DeliveredSample { samples[0] }

  /// Its own address in the bundle, the same in every download of the sample (RFC 9562, version 8:
  /// bits of a digest).
  var address: String {
    let digest = SHA256.digest(of: "\(requestID) \(first.number)".utf8Span.span).bytes
    let high = UInt64(bigEndianBytes: digest[0..<8])
    let low = UInt64(bigEndianBytes: digest[8..<16])
    let id = DataRequestID(
      high: high & ~0xf000 | 0x8000, low: low & ~(0b11 << 62) | 0b10 << 62)
    return "urn:uuid:\(id)"
  }

  /// Writes the fields of the resource.
  func write(to writer: inout JSONWriter) {
    let type = first.type
    writer.field("resourceType", "Observation")
    if let profile = type.vitalSignsProfile {
      writer.object("meta") { $0.field("profile", [FHIRSystem.definitions + profile]) }
    }
    writer.array("identifier") { writer in
      for sample in samples {
        writer.object { writer in
          writer.field("system", "urn:uuid:\(requestID)")
          writer.field("value", sample.number.description)
        }
      }
    }
    writer.field("status", "final")
    if let category = type.observationCategory {
      writer.array("category") { writer in
        writer.object { Self.writeCoding(FHIRSystem.categories, [category], to: &$0) }
      }
    }
    if type.isBloodPressure {
      // The panel of both values.
      writer.object("code") { Self.writeCoding(FHIRSystem.loinc, ["85354-9"], to: &$0) }
    } else {
      writer.object("code") { Self.writeCode(of: type, to: &$0) }
    }
    writer.object("subject") { writer in
      writer.field("type", "Patient")
      Self.writeIdentifier("urn:ietf:rfc:3986", "urn:uuid:\(requestID)", to: &writer)
    }
    writer.field("effectiveDateTime", first.sample.time.description)
    if !type.isBloodPressure { Self.writeValue(first, to: &writer) }
    if let device = first.device {
      writer.object("device") { Self.writeIdentifier(FHIRSystem.devices, device, to: &$0) }
    }
    if type.isBloodPressure { writeComponents(to: &writer) }
  }

  private func writeComponents(to writer: inout JSONWriter) {
    writer.array("component") { writer in
      for type in [DataType.bloodPressureSystolic, .bloodPressureDiastolic] {
        writer.object { writer in
          writer.object("code") { Self.writeCode(of: type, to: &$0) }
          if let sample = samples.first(where: { $0.type == type }) {
            Self.writeValue(sample, to: &writer)
          } else {
            writer.object("dataAbsentReason") {
              Self.writeCoding(FHIRSystem.absentReasons, ["unknown"], to: &$0)
            }
          }
        }
      }
    }
  }

  private static func writeValue(_ sample: DeliveredSample, to writer: inout JSONWriter) {
    let value = sample.sample.value
    let type = sample.type
    guard let number = value.number, let unit = type.ucum else {
      if case .code = value {
        writer.object("valueCodeableConcept") {
          writeCoding(FHIRSystem.values, [value.text(of: type)], to: &$0)
        }
      } else {
        writer.field("valueString", value.text(of: type))
      }
      return
    }
    writer.object("valueQuantity") { writer in
      // The profile of body height allows only centimetres and inches; rounded to a thousandth of
      // one.
      let isHeight = type == .height
      writer.field("value", isHeight ? (number * 100_000).rounded() / 1_000 : number)
      writer.field("unit", isHeight ? "cm" : type.unit)
      writer.field("system", FHIRSystem.ucum)
      writer.field("code", isHeight ? "cm" : unit)
    }
  }

  private static func writeCode(of type: DataType, to writer: inout JSONWriter) {
    let loinc = type.loincCodes
    writeCoding(
      loinc.isEmpty ? FHIRSystem.dataTypes : FHIRSystem.loinc, loinc.isEmpty ? [type.name] : loinc,
      to: &writer)
    writer.field("text", type.name)
  }

  private static func writeCoding(
    _ system: String, _ codes: [String], to writer: inout JSONWriter
  ) {
    writer.array("coding") { writer in
      for code in codes {
        writer.object { writer in
          writer.field("system", system)
          writer.field("code", code)
        }
      }
    }
  }

  private static func writeIdentifier(
    _ system: String, _ value: String, to writer: inout JSONWriter
  ) {
    writer.object("identifier") { writer in
      writer.field("system", system)
      writer.field("value", value)
    }
  }
}

/// The systems of codes and identifiers; the product's own are under a name that RFC 2606 reserves,
/// so that it never belongs to a real organisation.
enum FHIRSystem {
  static let loinc = "http://loinc.org"
  static let ucum = "http://unitsofmeasure.org"
  static let definitions = "http://hl7.org/fhir/StructureDefinition/"
  static let categories = "http://terminology.hl7.org/CodeSystem/observation-category"
  static let absentReasons = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
  /// The types that LOINC has no code for, by their names in the API.
  static let dataTypes = "https://trackme.example/fhir/data-types"
  /// The names of non-numeric values.
  static let values = "https://trackme.example/fhir/values"
  /// The person's own numbers of devices.
  static let devices = "https://trackme.example/fhir/devices"
}

extension DataType {
  /// The profile of vital signs (https://hl7.org/fhir/R4/observation-vitalsigns.html), if there is
  /// one.
  var vitalSignsProfile: String? {
    switch self {
    case .heartRate: "heartrate"
    case .bloodPressureSystolic, .bloodPressureDiastolic: "bp"
    case .oxygenSaturation: "oxygensat"
    case .respiratoryRate: "resprate"
    case .bodyTemperature: "bodytemp"
    case .weight: "bodyweight"
    case .height: "bodyheight"
    case .position, .bloodGlucose, .steps, .walkingRunningDistance, .standHours, .activeEnergy,
      .restingEnergy, .nutritionEnergy, .sleepHours, .speed, .ambientPressure, .activity, .fall,
      .shaking, .ecg:
      nil
    }
  }

  /// A code of the observation categories, if one fits.
  var observationCategory: String? {
    if vitalSignsProfile != nil { return "vital-signs" }
    return switch self {
    case .bloodGlucose: "laboratory"
    case .ecg: "procedure"
    case .steps, .walkingRunningDistance, .standHours, .activeEnergy, .restingEnergy, .speed,
      .activity:
      "activity"
    default: nil
    }
  }
}
