import Domain
import JSON
import PublicAPI

/// A single user's profile as it is sealed (ACC-3); searchable fields are also columns.
package struct SingleUserProfile: Sendable, Equatable, JSONReadable, JSONWritable {
  /// The real name.
  package var fullName: String
  /// The telephone number; nil if none was entered.
  package var phone: String?
  var address: String?
  /// A cadastral code; for a residence abroad, the country's code of ISO 3166-1.
  package var residence: String?
  /// A cadastral code.
  package var birthPlace: String?
  /// The places abroad, in the person's words.
  var residenceAbroad: String?
  var birthAbroad: String?
  /// A country of ISO 3166-1, and the word of the API.
  package var nationality: String?
  package var occupation: String?
  /// In metres and kilograms.
  package var height: Double?
  package var weight: Double?
  var diseases: [DiseaseEntry] = []
  /// The parent whose confirmation the registration of a child needed (ACC-13).
  var parentEmail: String?

  /// A profile with a real name only.
  package init(fullName: String) { self.fullName = fullName }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(fullName: "")
    var fullName: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "full_name": fullName = try reader.string()
      case "phone": phone = try reader.string()
      case "address": address = try reader.string()
      case "residence": residence = try reader.string()
      case "birth_place": birthPlace = try reader.string()
      case "residence_abroad": residenceAbroad = try reader.string()
      case "birth_abroad": birthAbroad = try reader.string()
      case "nationality": nationality = try reader.string()
      case "occupation": occupation = try reader.string()
      case "height": height = try reader.double()
      case "weight": weight = try reader.double()
      case "diseases": diseases = try DiseaseEntry.list(&reader)
      case "parent_email": parentEmail = try reader.string()
      default: break
      }
    }
    self.fullName = try reader.mandatory("full_name", fullName)
  }

  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("full_name", fullName)
      writePlain(to: &$0)
      $0.fieldIfPresent("residence", residence)
      $0.fieldIfPresent("birth_place", birthPlace)
      $0.fieldIfPresent("residence_abroad", residenceAbroad)
      $0.fieldIfPresent("birth_abroad", birthAbroad)
    }
  }

  /// Writes the fields that are shown as stored: all but the name and the places.
  func writePlain(to writer: inout JSONWriter) {
    writer.fieldIfPresent("phone", phone)
    writer.fieldIfPresent("address", address)
    writer.fieldIfPresent("nationality", nationality)
    writer.fieldIfPresent("occupation", occupation)
    writer.fieldIfPresent("height", height)
    writer.fieldIfPresent("weight", weight)
    writer.field("diseases", diseases)
    writer.fieldIfPresent("parent_email", parentEmail)
  }
}
