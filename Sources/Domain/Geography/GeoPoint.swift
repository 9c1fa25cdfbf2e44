import Bytes

/// A position on the earth in WGS 84, exact to 1e-7 degrees (about a centimetre).
///
/// Written `lat,lon` in decimal degrees (`45.4781,9.2273`). A position is personal data: printing
/// the value shows nothing, `text` does.
package struct GeoPoint: Hashable, Sendable, Redacted {
  /// Latitude in ten-millionths of a degree, -900,000,000 to 900,000,000.
  package let latitudeE7: Int32

  /// Longitude in ten-millionths of a degree, -1,800,000,000 to 1,800,000,000.
  package let longitudeE7: Int32

  /// Creates a position from scaled numbers that are known to be in range.
  init(unchecked latitudeE7: Int32, _ longitudeE7: Int32) {
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }

  /// Creates a position from scaled numbers.
  ///
  /// Throws `outOfRange` for a latitude beyond ±90° or a longitude beyond ±180°.
  package init(latitudeE7: Int32, longitudeE7: Int32) throws(GeoPointError) {
    guard latitudeE7.magnitude <= 900_000_000, longitudeE7.magnitude <= 1_800_000_000
    else { throw .outOfRange }
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }

  /// Creates a position from degrees, rounded to 1e-7.
  ///
  /// Throws `outOfRange` for a latitude beyond ±90°, a longitude beyond ±180°, or NaN.
  package init(latitude: Double, longitude: Double) throws(GeoPointError) {
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { throw .outOfRange }
    try self.init(
      latitudeE7: Int32((latitude * 1e7).rounded()), longitudeE7: Int32((longitude * 1e7).rounded())
    )
  }

  /// Parses exactly `lat,lon`, decimal degrees without exponent, plus sign or spaces.
  ///
  /// More than seven decimals (at most 20) are rounded. Throws `malformed` for any other form and
  /// `outOfRange` for a latitude beyond ±90° or a longitude beyond ±180°.
  package init(utf8: Span<UInt8>) throws(GeoPointError) {
    var index = 0
    guard let latitude = Self.degreesE7(utf8, &index), utf8.has(ascii(","), at: index)
    else { throw .malformed }
    index += 1
    guard let longitude = Self.degreesE7(utf8, &index), index == utf8.count
    else { throw .malformed }
    guard latitude.magnitude <= 900_000_000, longitude.magnitude <= 1_800_000_000
    else { throw .outOfRange }
    latitudeE7 = Int32(latitude)
    longitudeE7 = Int32(longitude)
  }

  /// Parses exactly `lat,lon`, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(GeoPointError) {
    try self.init(utf8: text.utf8Span.span)
  }

  /// The latitude in degrees.
  package var latitude: Double { Double(latitudeE7) / 1e7 }

  /// The longitude in degrees.
  package var longitude: Double { Double(longitudeE7) / 1e7 }

  /// `lat,lon` in decimal degrees, without trailing zeros.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends `lat,lon` to `bytes`, at most 25 bytes.
  package func append(to bytes: inout [UInt8]) {
    Self.append(latitudeE7, to: &bytes)
    bytes.append(ascii(","))
    Self.append(longitudeE7, to: &bytes)
  }

  private static func append(_ scaled: Int32, to bytes: inout [UInt8]) {
    if scaled < 0 { bytes.append(ascii("-")) }
    let magnitude = Int(scaled.magnitude)
    let whole = magnitude / 10_000_000
    bytes.append(number: whole, digits: whole >= 100 ? 3 : whole >= 10 ? 2 : 1)
    var fraction = magnitude % 10_000_000
    guard fraction > 0 else { return }
    var digits = 7
    while fraction % 10 == 0 {
      fraction /= 10
      digits -= 1
    }
    bytes.append(ascii("."))
    bytes.append(number: fraction, digits: digits)
  }

  /// Parses one number of degrees, with at most three digits before and twenty after the point.
  private static func degreesE7(_ utf8: Span<UInt8>, _ index: inout Int) -> Int64? {
    let isNegative = utf8.has(ascii("-"), at: index)
    if isNegative { index += 1 }
    let start = index
    var value: Int64 = 0
    while index < utf8.count, utf8[index].isDigit, index - start < 4 {
      value = value * 10 + Int64(utf8[index].digitValue)
      index += 1
    }
    guard index > start, index - start <= 3 else { return nil }
    value *= 10_000_000
    if utf8.has(ascii("."), at: index) {
      index += 1
      guard let fraction = fractionE7(utf8, &index) else { return nil }
      value += fraction
    }
    return isNegative ? -value : value
  }

  private static func fractionE7(_ utf8: Span<UInt8>, _ index: inout Int) -> Int64? {
    let start = index
    var weight: Int64 = 1_000_000
    var value: Int64 = 0
    while index < utf8.count, utf8[index].isDigit {
      let digit = Int64(utf8[index].digitValue)
      if index - start < 7 {
        value += digit * weight
        weight /= 10
      } else if index - start == 7, digit >= 5 {
        value += 1
      }
      index += 1
    }
    return (1...20).contains(index - start) ? value : nil
  }
}

/// The reason why a text is not a valid position. Never contains the text.
package enum GeoPointError: DomainError {
  /// The text is not `lat,lon`.
  case malformed
  /// A coordinate is beyond ±90° or ±180°.
  case outOfRange

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed: "A coordinate is written lat,lon in decimal degrees, such as 45.4781,9.2273."
    case .outOfRange: "A latitude lies between -90 and 90, a longitude between -180 and 180."
    }
  }
}
