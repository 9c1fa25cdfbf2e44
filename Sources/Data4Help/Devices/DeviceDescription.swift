import Domain
import HTTP
import JSON
import Postgres
import Privacy
import Services

/// What a device says of itself; sealed wherever it is stored.
struct DeviceDescription: Sendable, Equatable, JSONReadable, JSONWritable {
  /// Characters of a name and of a model.
  static let lengths = 1...100

  let name: String
  let model: String

  init(name: String, model: String) {
    self.name = name
    self.model = model
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var (name, model): (String?, String?)
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try reader.string()
      case "model": model = try reader.string()
      default: break
      }
    }
    self.name = try reader.mandatory("name", name)
    self.model = try reader.mandatory("model", model)
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", name)
      $0.field("model", model)
    }
  }

  func sealed(under key: SealingKey, for context: SealContext) -> [UInt8] {
    key.sealJSON(of: self, for: context)
  }

  /// - Throws: 500 if it is not what was sealed.
  init(
    sealed: [UInt8], under key: SealingKey, for context: SealContext
  ) throws(ApplicationError) {
    self = try intact { () throws(PrivacyError) in
      try key.openJSON(DeviceDescription.self, sealed.span, for: context)
    }
  }
}

extension SealContext {
  /// Of a device of an account.
  static func device(_ number: Int32, of account: AccountID) -> SealContext {
    SealContext(
      table: "devices", column: "sealed_description",
      row: SealRow(account.rawValue, Int64(number)))
  }

  /// Of a device that waits for its code to be typed.
  static func pairing(_ id: UniversalID) -> SealContext {
    SealContext(table: "pairings", column: "sealed_description", row: SealRow(id))
  }
}
