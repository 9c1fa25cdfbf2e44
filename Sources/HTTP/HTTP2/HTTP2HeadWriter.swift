import CNghttp2

/// Lays the field lines of one head or trailer out for the library, which copies them.
///
/// Content-Length comes from the head's property; that field and hop-by-hop fields are left out.
struct HTTP2HeadWriter {
  private struct Line {
    var name: Range<Int>
    var staticName: StaticString?
    var value: Range<Int>
    var isSecret: Bool
  }

  private var bytes: [UInt8] = []
  private var lines: [Line] = []

  /// Begins a response.
  mutating func begin(_ head: ResponseHead, isInterim: Bool = false) {
    clear()
    add(":status") { $0.append(decimal: UInt64(head.status.code)) }
    if !isInterim, let length = head.contentLength {
      add(FieldName.contentLength.text) { $0.append(decimal: length) }
    }
    add(head.fields)
  }

  /// Begins a request.
  mutating func begin(_ head: RequestHead) {
    clear()
    add(":method") { $0.append(contentsOf: head.method.text.utf8) }
    if head.method != .connect {
      add(":scheme") { $0.append(literal: head.isSecure ? "https" : "http") }
      add(":path") { $0.append(contentsOf: head.target) }
    }
    head.fields.withValue(.host) { host in add(":authority") { $0.append(copying: host) } }
    if let length = head.contentLength {
      add(FieldName.contentLength.text) { $0.append(decimal: length) }
    }
    add(head.fields)
  }

  /// Begins a trailer.
  mutating func begin(trailers: HTTPFields) {
    clear()
    add(trailers)
  }

  /// Calls `body` with the lines as the library wants them.
  func withLines<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
    // SAFETY: every range was made from `bytes`, whose storage stays in place during the call;
    // static names live forever, and the library only reads although its pointers are mutable.
    unsafe bytes.withUnsafeBufferPointer { buffer in
      let base = unsafe UnsafeMutablePointer(mutating: buffer.baseAddress)
      let table = unsafe lines.map { line in
        var name = unsafe base.map { unsafe $0 + line.name.lowerBound }
        var nameCount = line.name.count
        var flags = UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
        if let text = line.staticName {
          unsafe name = UnsafeMutablePointer(mutating: text.utf8Start)
          nameCount = text.utf8CodeUnitCount
          flags |= UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        }
        if line.isSecret { flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
        return unsafe nghttp2_nv(
          name: name, value: base.map { unsafe $0 + line.value.lowerBound }, namelen: nameCount,
          valuelen: line.value.count, flags: flags)
      }
      return unsafe table.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
  }

  private mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
  }

  private mutating func add(
    _ name: StaticString, isSecret: Bool = false, _ write: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    write(&bytes)
    lines.append(
      Line(name: 0..<0, staticName: name, value: start..<bytes.count, isSecret: isSecret))
  }

  private mutating func add(_ fields: HTTPFields) {
    fields.forEach { known, name, value in
      if let known {
        guard !known.isHopByHop, known != .host, known != .contentLength else { return }
        add(known.text, isSecret: known.isSecret) { $0.append(copying: value) }
        return
      }
      let start = bytes.count
      bytes.append(copying: name)
      let middle = bytes.count
      bytes.append(copying: value)
      lines.append(
        Line(
          name: start..<middle, staticName: nil, value: middle..<bytes.count, isSecret: false))
    }
  }
}

extension FieldName {
  /// Whether the value must never enter a compression table, where its guesses could be measured
  /// (RFC 7541, section 7.1.3).
  fileprivate var isSecret: Bool {
    switch self {
    case .authorization, .cookie, .proxyAuthorization, .setCookie: true
    default: false
    }
  }
}
