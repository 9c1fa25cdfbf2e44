import Domain
import HTTP
import JSON
import Services

/// The fields that every change of a profile may have beside the profile's own (ACC-5, ACC-6).
struct SettingsCommon: Sendable {
  private(set) var password: String?
  private(set) var newPassword: Password?
  private(set) var endsKeysAndDevices = false
  private(set) var consents: [ConsentEntry] = []

  /// Reads the value of a field; false if it belongs to another type.
  mutating func read(
    _ key: JSONKey, from reader: inout JSONReader
  ) throws(JSONError) -> Bool {
    switch key {
    case "password":
      let text = try reader.string()
      guard (1...Password.lengths.upperBound).contains(text.unicodeScalars.count) else {
        throw reader.refusal("A password has 1 to \(Password.lengths.upperBound) characters.")
      }
      password = text
    case "newPassword":
      newPassword = try reader.parsed { (text) throws(PasswordError) in try Password(text) }
    case "endKeysAndDevices": endsKeysAndDevices = try reader.boolean()
    case "consents": consents = try ConsentEntry.list(&reader)
    case "email", "fc", "piva":
      throw JSONError(
        .refused(sentence: "The \(key.text) identifies the account and cannot be changed."),
        offset: 0, path: key.text)
    default: return false
    }
    return true
  }
}

extension SettingsCommon {
  /// - Throws: `invalid` where keys and devices shall end without a new password.
  func check() throws(ApplicationError) {
    guard endsKeysAndDevices, newPassword == nil else { return }
    throw .invalid(
      "API keys and devices can only be ended with a new password: send newPassword too.",
      field: "endKeysAndDevices")
  }
}

/// The body of `POST /settings/single/info`.
struct SingleUserSettingsPayload: JSONReadable, Sendable {
  private(set) var common = SettingsCommon()
  let password: String
  private(set) var fullName: FullName?
  private(set) var birthDate: CalendarDate?
  private(set) var sex: Sex?
  private(set) var fields = SingleUserFields()

  init(from reader: inout JSONReader) throws(JSONError) {
    var common = SettingsCommon()
    var fields = SingleUserFields()
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "full_name":
        fullName = try reader.parsed { (text) throws(NameError) in try FullName(text) }
      case "birthdate":
        birthDate = try reader.parsed { (text) throws(CalendarDateError) in
          try CalendarDate(text)
        }
      case "sex": sex = try reader.enumCase(Sex.self)
      default:
        if try common.read(key, from: &reader) { continue }
        _ = try fields.read(key, from: &reader)
      }
    }
    password = try reader.mandatory("password", common.password)
    self.common = common
    self.fields = fields
  }
}

/// The body of `POST /settings/tp/info`.
struct ThirdPartySettingsPayload: JSONReadable, Sendable {
  private(set) var common = SettingsCommon()
  let password: String
  private(set) var companyName: CompanyName?
  private(set) var description: String?
  private(set) var fields = ThirdPartyFields()

  init(from reader: inout JSONReader) throws(JSONError) {
    var common = SettingsCommon()
    var fields = ThirdPartyFields()
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "company_name":
        companyName = try reader.parsed { (text) throws(CompanyNameError) in
          try CompanyName(text)
        }
      case "company_description": description = try reader.string()
      default:
        if try common.read(key, from: &reader) { continue }
        _ = try fields.read(key, from: &reader)
      }
    }
    password = try reader.mandatory("password", common.password)
    self.common = common
    self.fields = fields
  }
}
