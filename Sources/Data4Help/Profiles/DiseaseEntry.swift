import Domain
import JSON

/// A chronic disease of a profile with its medicines; the same JSON on the wire and sealed (ACC-3).
struct DiseaseEntry: Sendable, Equatable, JSONReadable, JSONWritable {
  let disease: ChronicDisease
  let drugs: [DrugEntry]

  /// The maximum number of diseases in a profile, and of drugs for a disease.
  static let diseasesMax = 40
  static let drugsMax = 20

  init(from reader: inout JSONReader) throws(JSONError) {
    var disease: ChronicDisease?
    var drugs: [DrugEntry] = []
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "code":
        guard let found = ChronicDisease(code: try reader.string()) else {
          throw reader.refusal("Name a disease of the list, such as diabetes, or its ICD-10 code.")
        }
        disease = found
      case "drugs": drugs = try reader.list(of: DrugEntry.self, countMax: Self.drugsMax)
      default: break
      }
    }
    self.disease = try reader.mandatory("code", disease)
    self.drugs = drugs
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("code", disease.rawValue)
      $0.field("drugs", drugs)
    }
  }

  /// Reads the list of a body, without duplicate diseases.
  static func list(_ reader: inout JSONReader) throws(JSONError) -> [DiseaseEntry] {
    let entries = try reader.list(of: DiseaseEntry.self, countMax: diseasesMax)
    guard Set(entries.map(\.disease)).count == entries.count else {
      throw reader.refusal("Name each disease once.")
    }
    return entries
  }
}

/// A medicine on the wire and sealed.
struct DrugEntry: Sendable, Equatable, JSONReadable, JSONWritable {
  let drug: Drug

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: ProfileLine?
    var doses: Double?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name":
        name = try reader.parsed { (text) throws(ProfileLineError) in
          try ProfileLine(text)
        }
      case "dosesPerDay":
        doses = try reader.number(
          Drug.doses,
          "The number of doses a day is \(Drug.doses.lowerBound) to \(Drug.doses.upperBound).")
      default: break
      }
    }
    let found = Drug(
      name: try reader.mandatory("name", name),
      dosesPerDay: try reader.mandatory("dosesPerDay", doses))
    drug = try reader.mandatory("dosesPerDay", found)
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", drug.name)
      $0.field("dosesPerDay", drug.dosesPerDay)
    }
  }
}
