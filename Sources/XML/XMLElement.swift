/// The start of an element: its name and the attributes that the document reads.
///
/// One instance is reused for all elements of a document, so that reading them does not allocate.
package struct XMLElement {
  /// An attribute, by its index in the document's `attributes`.
  package struct Attribute: Sendable {
    let index: Int

    /// The attribute at this index, 0 to 7.
    package init(_ index: Int) { self.index = index }
  }

  /// Maximum number of attributes that a document reads.
  static let attributesMax = 8

  private var bytes: [UInt8] = []
  private var name = 0..<0
  private var ranges: InlineArray<8, Range<Int>?> = .init(repeating: nil)

  /// Resets this value for another element.
  mutating func begin(_ name: UnsafeBufferPointer<UInt8>) {
    bytes.removeAll(keepingCapacity: true)
    // SAFETY: the caller's bytes are valid during the call, and are copied.
    unsafe bytes.append(contentsOf: name)
    self.name = 0..<bytes.count
    for index in ranges.indices { ranges[index] = nil }
  }

  /// Adds an attribute.
  mutating func add(_ attribute: Attribute, _ value: UnsafeBufferPointer<UInt8>) {
    let start = bytes.count
    // SAFETY: the caller's bytes are valid during the call, and are copied.
    unsafe bytes.append(contentsOf: value)
    ranges[attribute.index] = start..<bytes.count
  }

  /// Whether the element has this name.
  package func isNamed(_ other: StaticString) -> Bool {
    bytes[name].elementsEqual(other.description.utf8)
  }

  /// Whether the element has this local name, with any prefix.
  package func isLocallyNamed(_ other: StaticString) -> Bool {
    let local = bytes[name].split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    return local.last?.elementsEqual(other.description.utf8) ?? false
  }

  /// Whether the element has the attribute.
  package func has(_ attribute: Attribute) -> Bool { ranges[attribute.index] != nil }

  /// Calls a closure with the value of an attribute, empty if it is missing.
  package func with<Result, Failure: Error>(
    _ attribute: Attribute, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(ranges[attribute.index] ?? 0..<0))
  }
}
