import Operations

/// Collects the field lines of one head or trailer as the library decodes them.
///
/// A connection needs only one reader, because field blocks are never interleaved (RFC 9113,
/// section 4.3). The library has checked names, values, the order and number of pseudo-header
/// fields, and that connection-specific fields are absent; the reader checks the rest.
final class HTTP2HeadReader {
  /// Multiple of `headBytesMax` at which the connection is closed as an attack; between the two,
  /// the request is answered with 431.
  private static let excessFactor = 4
  /// The longest method accepted; a longer one makes the request malformed.
  private static let methodBytesMax = 32
  /// The largest head that is compared with the next ones, counted as `size`.
  private static let keptSizeMax = 2048

  private let settings: HTTP2Settings
  private var method: HTTPMethod?
  private var isSecure = false
  private var target: [UInt8] = []
  private var hasAuthority = false
  private var status: UInt64 = 0
  private var fields = HTTPFields()
  /// The fields and the target of a request that had the size of the one before, if there is one.
  /// Most clients repeat their heads: fields are compared with these, and only kept from the first
  /// one that differs.
  private var latestFields = HTTPFields()
  private var latestTarget: [UInt8] = []
  private var hasLatest = false
  /// The number of fields that equal `latestFields` so far; nil after one that differs.
  private var equalCount: Int?
  private var latestSize = 0
  /// The Cookie fields, joined; short ones are kept for their capacity.
  private var cookies: [UInt8] = []
  private var contentLength: UInt64?
  private var traceCount = 0
  private var trace: TraceParent?
  /// Bytes of the block so far, counted as in RFC 9113, section 6.5.2.
  private(set) var size = 0
  private var count = 0

  /// The status for a block that exceeds a limit, or nil.
  private(set) var refusal: HTTPStatus?
  /// Whether the block violates RFC 9113 in a way that the library does not check.
  private(set) var isMalformed = false

  init(_ settings: HTTP2Settings) { self.settings = settings }

  /// Whether the block is large enough to be treated as an attack.
  var isExcessive: Bool { size > Self.excessFactor * settings.headBytesMax }

  /// Changes the fields. They are moved out meanwhile, so that elsewhere the compiler proves
  /// exclusive access instead of checking it for each field.
  @inline(__always)
  private func changeFields(_ change: (inout HTTPFields) -> Void) {
    var moved = HTTPFields()
    swap(&moved, &fields)
    change(&moved)
    swap(&moved, &fields)
  }

  /// Changes the cookies in the same way.
  @inline(__always)
  private func changeCookies(_ change: (inout [UInt8]) -> Void) {
    var moved: [UInt8] = []
    swap(&moved, &cookies)
    change(&moved)
    swap(&moved, &cookies)
  }

  /// Moves the latest fields out, so that a comparison counts no reference.
  @inline(__always)
  private func takeLatestFields() -> HTTPFields {
    var latest = HTTPFields()
    swap(&latest, &latestFields)
    return latest
  }

  /// Begins a block.
  func begin() {
    method = nil
    isSecure = false
    target = []
    hasAuthority = false
    status = 0
    equalCount = hasLatest ? 0 : nil
    fields = hasLatest ? HTTPFields() : Self.emptyFields()
    changeCookies { cookies in
      guard !cookies.isEmpty else { return }
      cookies.removeAll(keepingCapacity: cookies.capacity <= Self.keptSizeMax)
    }
    contentLength = nil
    traceCount = 0
    trace = nil
    size = 0
    count = 0
    refusal = nil
    isMalformed = false
  }

  /// Adds a field line.
  func add(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    size += name.count + value.count + 32
    count += 1
    guard size <= settings.headBytesMax, count <= settings.fieldsMax else {
      refusal = .fieldsTooLarge
      return
    }
    if name.count > 0, name[0] == ASCII.colon {
      addPseudo(name, value)
      return
    }
    let known = FieldName.known(name)
    if equals(known, name, value) { return }
    switch known {
    case .cookie:
      // Joins split Cookie fields again for HTTP/1.1 (RFC 9113, section 8.2.3).
      changeCookies { cookies in
        if !cookies.isEmpty { cookies.append(literal: "; ") }
        cookies.append(copying: value)
      }
    case .contentLength:
      // The library has checked its syntax and that it is not repeated.
      contentLength = value.decimal
    case .host: addAuthority(value)
    case .traceParent:
      traceCount += 1
      trace = traceCount == 1 ? TraceParent(value) : nil
    case nil:
      keepFields()
      changeFields { $0.append(name: name, value: value) }
    case let known?:
      keepFields()
      changeFields { $0.append(known, copying: value) }
    }
  }

  private static func emptyFields() -> HTTPFields {
    HTTPFields(reservingBytes: 512 + HTTPFields.room, fields: HTTPFields.entryRoom)
  }

  /// Whether a field is the next one of the latest request.
  private func equals(
    _ known: FieldName?, _ name: Span<UInt8>, _ value: Span<UInt8>
  ) -> Bool {
    guard let count = equalCount, known != .cookie, known != .contentLength else { return false }
    let latest = takeLatestFields()
    defer { latestFields = latest }
    guard latest.hasField(at: count, known, name, value) else { return false }
    // The authority may be repeated, which `addAuthority` checks.
    if known == .host {
      guard !hasAuthority else { return false }
      hasAuthority = true
    }
    equalCount = count + 1
    return true
  }

  /// Copies the fields that equal those of the latest request: the rest differs.
  private func keepFields() {
    guard let count = equalCount else { return }
    equalCount = nil
    var kept = Self.emptyFields()
    kept.append(first: count, of: latestFields)
    fields = kept
  }

  private func addPseudo(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    if name.equals(":method") {
      method = HTTPMethod.known(value)
      if method == nil, value.count <= Self.methodBytesMax {
        method = .other(String(copying: value))
      }
      // Tunnels are not supported, as in HTTP/1.1 (`RequestTarget`).
      if case .connect? = method { refusal = refusal ?? .badRequest }
    } else if name.equals(":path") {
      if value.equals(latestTarget) {
        target = latestTarget
      } else {
        target = Array(copying: value)
      }
      if target.count > settings.targetBytesMax { refusal = refusal ?? .targetTooLong }
    } else if name.equals(":scheme") {
      isSecure = value.equals("https")
      if !isSecure, !value.equals("http") { isMalformed = true }
    } else if name.equals(":authority") {
      addAuthority(value)
    } else if name.equals(":status") {
      status = value.decimal ?? 0
    }
  }

  /// `:authority` and `host` must be equal, or one of them absent; their grammar is that of Host in
  /// HTTP/1.1.
  private func addAuthority(_ value: Span<UInt8>) {
    guard hasAuthority else {
      // Before `host` is among the fields, in the place that it has in the latest request.
      if equals(.host, value, value) { return }
      keepFields()
      if !Authority.isValid(value) { refusal = refusal ?? .badRequest }
      hasAuthority = true
      return changeFields { $0.append(.host, copying: value) }
    }
    keepFields()
    if fields.withValue(.host, { $0.equals(value) }) != true { isMalformed = true }
  }

  /// Returns the request, or nil if it is malformed.
  func takeRequest(hasBody: Bool) -> RequestHead? {
    guard !isMalformed, let method else { return nil }
    var head = RequestHead(
      method: method, target: target.isEmpty ? [UInt8(ascii: "*")] : target, isSecure: isSecure,
      fields: takeFields(), contentLength: contentLength, hasBody: hasBody)
    head.trace = trace
    if size != latestSize {
      hasLatest = false
    } else if !hasLatest, size <= Self.keptSizeMax {
      hasLatest = true
      latestFields = head.fields
      latestTarget = head.target
    }
    latestSize = size
    return head
  }

  /// Returns the response, or nil if it is malformed.
  func takeResponse() -> ResponseHead? {
    guard !isMalformed, (100...999).contains(status) else { return nil }
    return ResponseHead(
      HTTPStatus(Int(status)), fields: takeFields(), contentLength: contentLength)
  }

  /// Returns the trailer fields.
  func takeFields() -> HTTPFields {
    if let count = equalCount, equalsLatest(count) { return latestFields }
    keepFields()
    var taken = HTTPFields()
    swap(&taken, &fields)
    let cookies = cookies
    if !cookies.isEmpty { taken.append(.cookie, copying: cookies.span) }
    return taken
  }

  /// Whether the first `count` fields of the latest request and the cookies, which are appended
  /// last, are all that it has.
  private func equalsLatest(_ count: Int) -> Bool {
    let latest = takeLatestFields()
    defer { latestFields = latest }
    guard !cookies.isEmpty else { return latest.count == count }
    var isEqual = false
    changeCookies { cookies in
      isEqual =
        latest.count == count + 1
        && latest.hasField(at: count, .cookie, cookies.span, cookies.span)
    }
    return isEqual
  }
}
