import Bytes
import Cryptography
import Domain
import JSON
import Postgres
import ServiceKit

/// A device's description of itself; stored sealed only.
struct DeviceDescription: Sendable, Equatable, JSONReadable, JSONWritable {
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

  /// - Throws: `internalError` if the opened bytes are not a sealed description.
  init(
    sealed: [UInt8], under key: SealingKey, for context: SealContext
  ) throws(ApplicationError) {
    self = try mapStorageError { () throws(CryptographyError) in
      try key.openJSON(DeviceDescription.self, sealed.span, for: context)
    }
  }
}

extension SealContext {
  /// The context of a paired device of an account.
  static func device(_ number: Int32, of account: AccountID) -> SealContext {
    SealContext(
      table: "devices", column: "sealed_description",
      row: SealRow(account.rawValue, Int64(number)))
  }

  /// The context of a device whose code has not been entered yet.
  static func pairing(_ id: UniversalID) -> SealContext {
    SealContext(table: "pairings", column: "sealed_description", row: SealRow(id))
  }
}
