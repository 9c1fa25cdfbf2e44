/// The start of an element: its name, and of its attributes those that we read.
///
/// One is used for all elements of a document, so that reading them allocates nothing.
package struct XMLElement {
  /// An attribute that is looked at, by its place among the document's `attributes`.
  package struct Attribute: Sendable {
    let index: Int

    /// The attribute at this place, 0 to 7.
    package init(_ index: Int) { self.index = index }
  }

  /// How many attributes a document looks at.
  static let attributesMax = 8

  private var bytes: [UInt8] = []
  private var name = 0..<0
  private var ranges: InlineArray<8, Range<Int>?> = .init(repeating: nil)

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
    ranges[attribute.index] = start..<bytes.count
  }

  /// Whether the element has this name.
  package func isNamed(_ other: StaticString) -> Bool {
    bytes[name].elementsEqual(other.description.utf8)
  }

  /// Whether the element has this name, whatever prefix stands before it.
  package func isLocallyNamed(_ other: StaticString) -> Bool {
    let local = bytes[name].split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    return local.last?.elementsEqual(other.description.utf8) ?? false
  }

  /// Whether the attribute was given.
  package func has(_ attribute: Attribute) -> Bool { ranges[attribute.index] != nil }

  /// Shows the value of an attribute, empty if it was not given.
  package func with<Result, Failure: Error>(
    _ attribute: Attribute, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(ranges[attribute.index] ?? 0..<0))
  }
}
