/// The start of an element: its name, and of its attributes those that we read.
///
/// One is used for all elements of a document, so that reading them allocates nothing.
struct XMLElement {
  /// The attributes that are looked at.
  enum Attribute: Int, CaseIterable {
    case type, unit, value, startDate, endDate, lat, lon

    /// The attribute of this name, or nil for one that is passed over.
    init?(name: String) {
      switch name {
      case "type": self = .type
      case "unit": self = .unit
      case "value": self = .value
      case "startDate": self = .startDate
      case "endDate": self = .endDate
      case "lat": self = .lat
      case "lon": self = .lon
      default: return nil
      }
    }
  }

  private var bytes: [UInt8] = []
  private var name = 0..<0
  private var ranges: InlineArray<7, Range<Int>?> = .init(repeating: nil)

  /// Begins anew with another element.
  mutating func begin(_ name: UnsafeBufferPointer<UInt8>) {
    bytes.removeAll(keepingCapacity: true)
    // SAFETY: the caller lends bytes that stay for this call; they are copied.
    unsafe bytes.append(contentsOf: name)
    self.name = 0..<bytes.count
    for index in ranges.indices { ranges[index] = nil }
  }

  /// Adds an attribute.
  mutating func add(_ attribute: Attribute, _ value: UnsafeBufferPointer<UInt8>) {
    let start = bytes.count
    // SAFETY: the caller lends bytes that stay for this call; they are copied.
    unsafe bytes.append(contentsOf: value)
    ranges[attribute.rawValue] = start..<bytes.count
  }

  /// Whether the element has this name.
  func isNamed(_ other: StaticString) -> Bool {
    bytes[name].elementsEqual(other.description.utf8)
  }

  /// Whether the element has this name, whatever prefix stands before it.
  func isLocallyNamed(_ other: StaticString) -> Bool {
    let local = bytes[name].split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    return local.last?.elementsEqual(other.description.utf8) ?? false
  }

  /// Whether the attribute was given.
  func has(_ attribute: Attribute) -> Bool { ranges[attribute.rawValue] != nil }

  /// Shows the value of an attribute, empty if it was not given.
  func with<Result, Failure: Error>(
    _ attribute: Attribute, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(ranges[attribute.rawValue] ?? 0..<0))
  }
}
