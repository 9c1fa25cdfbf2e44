import Bytes

/// The assignment of a person's data types to devices (DAT-3). A type without a device is accepted
/// from every device; the person's manual entries are always accepted.
package struct AssignedTypes: Hashable, Sendable {
  private var devices: [DataType: Int32] = [:]

  /// Creates an empty assignment.
  package init() {}

  /// The account's number of the device that provides a type; nil if any device may.
  package subscript(type: DataType) -> Int32? {
    get { devices[type] }
    set { devices[type] = newValue }
  }

  /// Whether a sample of this type from this device is accepted; device 0 is manual entry.
  package func admits(_ type: DataType, from device: Int32) -> Bool {
    device == 0 || devices.isEmpty || devices[type] ?? device == device
  }

  /// The types that a device provides, by storage number.
  package func types(of device: Int32) -> [DataType] {
    DataType.allCases.filter { devices[$0] == device }
  }

  /// Removes a device and assigns its types to `successor`, if there is one.
  package mutating func replace(_ device: Int32, with successor: Int32? = nil) {
    for type in types(of: device) { devices[type] = successor }
  }
}

extension AssignedTypes {
  /// The stored size of a type: its number, and the device in four bytes, most significant first.
  private static let entryBytes = 5

  /// Reads the stored form; nil for anything else.
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

  /// The stored form, in the order of the types.
  package var stored: [UInt8] {
    DataType.allCases.flatMap { type -> [UInt8] in
      guard let device = devices[type] else { return [] }
      return [type.rawValue] + device.bigEndianBytes
    }
  }
}
