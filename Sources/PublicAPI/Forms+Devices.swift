import Domain
import JSON

// The forms of values in bodies about devices.

extension JSONForm<String> {
  /// The six digits that a device shows.
  static var pairingCode: Self {
    Self(.string(lengthMin: 6, lengthMax: 6)) { (reader) throws(JSONError) in
      let text = try reader.string()
      guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw reader.refusal("A code has six digits.")
      }
      return text
    }
  }
}

extension JSONForm<Int32> {
  /// A `deviceID`: the number of a device as text, without leading zeros.
  static var deviceNumber: Self {
    let form = JSONForm<Int32?>.deviceNumberOrAny
    return Self(form.schema) { (reader) throws(JSONError) in
      guard let number = try form.read(&reader) else {
        throw reader.refusal("Name one device here.")
      }
      return number
    }
  }
}

extension JSONForm<Int32?> {
  /// The same, or `any`, which is nil.
  static var deviceNumberOrAny: Self {
    Self(.string(lengthMin: 1, lengthMax: 10)) { (reader) throws(JSONError) in
      let text = try reader.string()
      if text == "any" { return nil }
      guard let number = Int32(text), number > 0, number.description == text else {
        throw reader.refusal("Give a `deviceID` of the list of devices.")
      }
      return number
    }
  }
}
