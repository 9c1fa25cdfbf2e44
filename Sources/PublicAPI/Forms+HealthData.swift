import Domain
import JSON
import Time

// The forms of data types, times and positions in bodies of Data4Help.

extension JSONForm<DataType> {
  /// The name of a data type.
  static var dataType: Self { dataType(orElse: "Name a data type, such as heartRate.") }

  fileprivate static func dataType(orElse sentence: String) -> Self {
    Self(.dataType) { (reader) throws(JSONError) in
      guard let type = try reader.stringBytes({ DataType(name: $0) }) else {
        throw reader.refusal(sentence)
      }
      return type
    }
  }
}

extension JSONForm<[DataType]> {
  /// The names of 1 to 100 data types; services refuse an empty list.
  static var dataTypes: Self {
    JSONForm<DataType>.dataType(orElse: "This is not a data type; use a name such as heartRate.")
      .list(countMin: 1, countMax: 100)
  }
}

extension JSONForm<Instant> {
  /// A time with an offset.
  static var dateTime: Self {
    .parsed(.dateTime) { (text) throws(InstantError) in try Instant(text) }
  }
}

extension JSONForm<Instant?> {
  /// A time with an offset, or null.
  static var dateTimeOrNull: Self { JSONForm<Instant>.dateTime.nullable }
}

extension JSONForm<GeoPoint> {
  /// A position, `lat,lon`.
  static var coordinate: Self {
    .parsed(.string(lengthMax: 64)) { (text) throws(GeoPointError) in try GeoPoint(text) }
  }
}
