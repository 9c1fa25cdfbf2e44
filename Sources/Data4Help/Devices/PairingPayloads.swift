import Domain
import HTTP
import JSON
import Privacy
import PublicAPI
import Services

/// The body of `POST /devices/pair/start`.
struct StartPairingPayload: JSONReadable {
  let description: DeviceDescription
  let types: DataTypeSet

  init(from reader: inout JSONReader) throws(JSONError) {
    var (name, model): (String?, String?)
    var types: [DataType]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try reader.string(of: DeviceDescription.lengths)
      case "model": model = try reader.string(of: DeviceDescription.lengths)
      case "types": types = try reader.dataTypes()
      default: break
      }
    }
    description = DeviceDescription(
      name: try reader.mandatory("name", name), model: try reader.mandatory("model", model))
    self.types = DataTypeSet(try reader.mandatory("types", types))
    guard !self.types.isEmpty else {
      throw JSONError(
        .refused(sentence: "Name at least one data type."), offset: 0, path: "types")
    }
  }
}

/// The body of `POST /devices/pair/confirm`.
struct ConfirmPairingPayload: JSONReadable {
  let code: String
  let accepts: Bool
  let replaces: Int32?

  init(from reader: inout JSONReader) throws(JSONError) {
    var code: String?
    var accepts = false
    var replaces: Int32?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "code":
        let text = try reader.string()
        guard PairingCode.isCode(text) else { throw reader.refusal("A code has six digits.") }
        code = text
      case "accept": accepts = try reader.boolean()
      case "replaces": replaces = try reader.deviceNumber()
      default: break
      }
    }
    self.code = try reader.mandatory("code", code)
    self.accepts = accepts
    self.replaces = replaces
  }
}

/// The body of `POST /devices/pair/finish`.
struct FinishPairingPayload: JSONReadable {
  let pairing: UniversalID
  let secret: String

  init(from reader: inout JSONReader) throws(JSONError) {
    var pairing: UniversalID?
    var secret: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "pairingID":
        guard let id = UniversalID(try reader.string()) else {
          throw reader.refusal("Give the `pairingID` that the start answered.")
        }
        pairing = id
      case "pairingSecret": secret = try reader.string()
      default: break
      }
    }
    self.pairing = try reader.mandatory("pairingID", pairing)
    self.secret = try reader.mandatory("pairingSecret", secret)
  }
}

/// The body of `POST /devices/assign`.
struct AssignDevicePayload: JSONReadable {
  let type: DataType
  /// Nil lets any device provide the type.
  let device: Int32?

  init(from reader: inout JSONReader) throws(JSONError) {
    var type: DataType?
    var device: Int32??
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "type":
        guard let named = try reader.stringBytes({ DataType(name: $0) }) else {
          throw reader.refusal("Name a data type, such as heartRate.")
        }
        type = named
      case "deviceID": device = .some(try reader.deviceNumberOrAny())
      default: break
      }
    }
    self.type = try reader.mandatory("type", type)
    self.device = try reader.mandatory("deviceID", device)
  }
}

extension JSONReader {
  /// A `deviceID`: the number of a device as text, in its one spelling.
  fileprivate mutating func deviceNumber() throws(JSONError) -> Int32 {
    guard let number = try deviceNumberOrAny() else {
      throw refusal("Name one device here.")
    }
    return number
  }

  /// The same, or nil for `any`.
  fileprivate mutating func deviceNumberOrAny() throws(JSONError) -> Int32? {
    let text = try string()
    if text == "any" { return nil }
    guard let number = Int32(text), number > 0, number.description == text else {
      throw refusal("Give a `deviceID` of the list of devices.")
    }
    return number
  }
}
