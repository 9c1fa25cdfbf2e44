/// Collects the head or the trailer of a response as its block is decoded, and checks it
/// (RFC 9113, section 8).
struct HTTP2ResponseReader: HPACKSink {
  /// Multiple of `headBytesMax` at which the connection is closed as an attack; between the two,
  /// only the stream is reset.
  private static let excessFactor = 4

  private let bytesMax: Int
  private let fieldsMax: Int
  private var status = 0
  private var fields = HTTPFields()
  private var contentLength: UInt64?
  private var isTrailer = false
  private var hasFields = false
  private var size = 0
  private var count = 0

  /// Whether the last field is the request's number, which was left out.
  private(set) var endsWithNumber = false
  private let dropsNumbers: Bool

  /// Whether the block violates the protocol or exceeds a limit.
  private(set) var isInvalid = false

  init(_ settings: HTTP2Settings) {
    bytesMax = settings.headBytesMax
    fieldsMax = settings.fieldsMax
    dropsNumbers = settings.dropsNumbers
  }

  /// Whether the block is large enough to be treated as an attack.
  var isExcessive: Bool { size > Self.excessFactor * bytesMax }

  /// Begins a block.
  mutating func begin(isTrailer: Bool) {
    self.isTrailer = isTrailer
    status = 0
    fields = isTrailer ? HTTPFields() : HTTPFields(reservingBytes: 512, fields: 24)
    contentLength = nil
    hasFields = false
    size = 0
    count = 0
    isInvalid = false
    endsWithNumber = false
  }

  // MARK: Fields

  mutating func add(index: Int) {
    let value = HPACKStaticTable.value(index)
    // SAFETY: a static string's bytes live forever.
    add(
      index: index,
      value: unsafe Span(_unsafeStart: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  mutating func add(index: Int, value: Span<UInt8>) {
    if let known = HPACKStaticTable.known(index) {
      guard countField(known.text.utf8CodeUnitCount, value) else { return }
      return add(known, value)
    }
    let name = HPACKStaticTable.name(index)
    guard countField(name.utf8CodeUnitCount, value) else { return }
    if HPACKStaticTable.status.contains(index) { return addStatus(value) }
    // SAFETY: a static string's bytes live forever.
    addOther(unsafe Span(_unsafeStart: name.utf8Start, count: name.utf8CodeUnitCount), value)
  }

  mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
    guard countField(name.count, value) else { return }
    if name.equals(":status") { return addStatus(value) }
    guard let known = FieldName.known(name) else { return addOther(name, value) }
    guard name.equals(known.text) else { return isInvalid = true }
    add(known, value)
  }

  /// Counts a field as in RFC 9113, section 6.5.2; false if it is dropped.
  private mutating func countField(_ nameCount: Int, _ value: Span<UInt8>) -> Bool {
    size += nameCount + value.count + 32
    count += 1
    endsWithNumber = false
    guard size <= bytesMax, count <= fieldsMax, value.isHTTP2FieldValue else {
      isInvalid = true
      return false
    }
    return true
  }

  private mutating func addStatus(_ value: Span<UInt8>) {
    guard !isTrailer, !hasFields, status == 0, value.count == 3, let number = value.decimal,
      number >= 100, number != 101
    else { return isInvalid = true }
    status = Int(number)
  }

  private mutating func add(_ known: FieldName, _ value: Span<UInt8>) {
    hasFields = true
    switch known {
    case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade:
      isInvalid = true
    case .te: if !value.equals("trailers") { isInvalid = true }
    case .contentLength:
      guard contentLength == nil, let length = value.decimal else { return isInvalid = true }
      contentLength = length
    case .requestID where dropsNumbers: endsWithNumber = true
    default: fields.append(checked: known, value)
    }
  }

  /// Adds a field whose name is not well known. The name of a pseudo-header field that responses do
  /// not have is not a token.
  private mutating func addOther(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    hasFields = true
    guard name.isLowerCaseToken else { return isInvalid = true }
    fields.append(checked: name, value)
  }

  /// Returns the head, or nil if it is invalid.
  mutating func takeHead() -> ResponseHead? {
    guard !isInvalid, status != 0 else { return nil }
    var taken = HTTPFields()
    swap(&taken, &fields)
    return ResponseHead(HTTPStatus(status), fields: taken, contentLength: contentLength)
  }
}

extension Span where Element == UInt8 {
  /// Whether the bytes are a valid value: no control characters, and no space at either end
  /// (RFC 9113, section 8.2.1).
  fileprivate var isHTTP2FieldValue: Bool {
    guard count > 0 else { return true }
    let first = self[0]
    let last = self[count - 1]
    guard first != ASCII.space, first != ASCII.tab, last != ASCII.space, last != ASCII.tab else {
      return false
    }
    return isFieldValue
  }

  /// Whether the bytes are a name: a token without capitals.
  fileprivate var isLowerCaseToken: Bool {
    for index in indices {
      guard ASCII.isToken(self[index]), ASCII.lowercased(self[index]) == self[index] else {
        return false
      }
    }
    return count > 0
  }
}
