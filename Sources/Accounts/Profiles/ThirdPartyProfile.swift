import Domain
import JSON
import PublicAPI

/// A third party's profile as it is sealed (ACC-4).
package struct ThirdPartyProfile: Sendable, Equatable, JSONReadable, JSONWritable {
  /// The name of the company.
  package var companyName: String
  var description: String
  var sector: String?
  var phone: String?
  var legalAddress: String?
  var billingAddress: String?
  var representative: Representative?
  var paymentMethod: String?
  var services: [String] = []
  var coordinate: String?

  init(companyName: String, description: String) {
    self.companyName = companyName
    self.description = description
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(companyName: "", description: "")
    var companyName: String?
    var description: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "company_name": companyName = try reader.string()
      case "company_description": description = try reader.string()
      case "sector": sector = try reader.string()
      case "phone": phone = try reader.string()
      case "legal_address": legalAddress = try reader.string()
      case "billing_address": billingAddress = try reader.string()
      case "representative": representative = try reader.value(Representative.self)
      case "payment_method": paymentMethod = try reader.string()
      case "services": services = try reader.list(of: String.self)
      case "coordinate": coordinate = try reader.string()
      default: break
      }
    }
    self.companyName = try reader.mandatory("company_name", companyName)
    self.description = try reader.mandatory("company_description", description)
  }

  package func write(to writer: inout JSONWriter) { writer.object { writeFields(to: &$0) } }

  func writeFields(to writer: inout JSONWriter) {
    writer.field("company_name", companyName)
    writer.field("company_description", description)
    writer.fieldIfPresent("sector", sector)
    writer.fieldIfPresent("phone", phone)
    writer.fieldIfPresent("legal_address", legalAddress)
    writer.fieldIfPresent("billing_address", billingAddress)
    writer.fieldIfPresent("representative", representative)
    writer.fieldIfPresent("payment_method", paymentMethod)
    writer.field("services", services)
    writer.fieldIfPresent("coordinate", coordinate)
  }
}

/// The legal representative of a company; the same JSON on the wire and sealed.
struct Representative: Sendable, Equatable, JSONReadable, JSONWritable {
  let fullName: String
  let fiscalCode: String?
  let phone: String?
  let email: String?
  let officeAddress: String?

  init(_ body: RepresentativeBody) {
    fullName = body.fullName.text
    fiscalCode = body.fiscalCode?.text
    phone = body.phone?.text
    email = body.email?.text
    officeAddress = body.officeAddress?.text
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try RepresentativeBody(from: &reader))
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("full_name", fullName)
      $0.fieldIfPresent("fc", fiscalCode)
      $0.fieldIfPresent("phone", phone)
      $0.fieldIfPresent("email", email)
      $0.fieldIfPresent("office_address", officeAddress)
    }
  }
}
