/// Which device provides each data type of a user (DAT-3). A type that names none is taken from
/// every device; what the user enters by hand is always taken.
package struct AssignedTypes: Hashable, Sendable {
  private var devices: [DataType: Int32] = [:]

  /// No type names a device.
  package init() {}

  /// The account's number of the device that provides a type; nil if any may.
  package subscript(type: DataType) -> Int32? {
    get { devices[type] }
    set { devices[type] = newValue }
  }

  /// Whether a sample of this type from this device counts; 0 is the user's own hand.
  package func admits(_ type: DataType, from device: Int32) -> Bool {
    device == 0 || devices.isEmpty || devices[type] ?? device == device
  }

  /// The types that a device provides, in the order of their storage numbers.
  package func types(of device: Int32) -> [DataType] {
    DataType.allCases.filter { devices[$0] == device }
  }

  /// Takes a device out, and lets `successor`, if there is one, provide its types.
  package mutating func replace(_ device: Int32, with successor: Int32? = nil) {
    for type in types(of: device) { devices[type] = successor }
  }
}

extension AssignedTypes {
  /// Bytes of a type in storage: its number, and the device in four bytes, most significant first.
  private static let entryBytes = 5

  /// Reads what `stored` wrote; nil for anything else.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count.isMultiple(of: Self.entryBytes) else { return nil }
    for start in stride(from: 0, to: bytes.count, by: Self.entryBytes) {
      let entry = bytes[start..<start + Self.entryBytes]
      let device = UInt32(bigEndianBytes: entry.dropFirst())
      guard let type = DataType(rawValue: bytes[start]), let number = Int32(exactly: device),
        number > 0
      else { return nil }
      devices[type] = number
    }
  }

  /// The bytes as a column holds them, in the order of the types.
  package var stored: [UInt8] {
    DataType.allCases.flatMap { type -> [UInt8] in
      guard let device = devices[type] else { return [] }
      return [type.rawValue] + device.bigEndianBytes
    }
  }
}
