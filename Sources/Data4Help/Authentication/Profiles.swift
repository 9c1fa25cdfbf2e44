import JSON

/// What a single user's profile holds beside what searches need; sealed.
struct SingleUserProfile: Sendable, Equatable, JSONReadable, JSONWritable {
  let fullName: String

  init(fullName: String) { self.fullName = fullName }

  init(from reader: inout JSONReader) throws(JSONError) {
    var fullName: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "full_name": fullName = try reader.string()
      default: break
      }
    }
    guard let fullName else { throw reader.missing("full_name") }
    self.fullName = fullName
  }

  func write(to writer: inout JSONWriter) {
    writer.object { $0.field("full_name", fullName) }
  }
}

/// What a third party's profile holds; sealed.
struct ThirdPartyProfile: Sendable, Equatable, JSONReadable, JSONWritable {
  let companyName: String
  let description: String

  init(companyName: String, description: String) {
    self.companyName = companyName
    self.description = description
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var companyName: String?
    var description: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "company_name": companyName = try reader.string()
      case "company_description": description = try reader.string()
      default: break
      }
    }
    guard let companyName else { throw reader.missing("company_name") }
    guard let description else { throw reader.missing("company_description") }
    self.companyName = companyName
    self.description = description
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("company_name", companyName)
      $0.field("company_description", description)
    }
  }
}
