import CNghttp2

// SAFETY: (of everything in this file) lines point to static names, which live forever, and into
// the writer's own bytes, which do not move while lines are built and submitted; the lines are
// dropped before the bytes change. Every range is checked before it becomes a pointer. The library
// only reads through its mutable pointers, and copies what it keeps.

/// Builds the field lines of one head or trailer for the library, which copies them. Those of a
/// server may not enter the library's table, which is that of `HTTP2HeadEncoder`.
///
/// Content-Length is written from the head's property; a field of that name and hop-by-hop fields
/// are omitted.
final class HTTP2HeadWriter {
  /// Receives the lines: a pointer that is valid during the call, and their number.
  typealias Submission<Result> = (UnsafePointer<nghttp2_nv>?, Int) -> Result

  // Both are empty between heads, and kept for their capacity.
  private var bytes: [UInt8] = []
  private var lines: HTTP2Lines

  /// A writer whose lines may enter the table or not.
  init(usesTable: Bool) { lines = HTTP2Lines(usesTable: usesTable) }

  /// Calls `submit` with the lines of a response.
  func withLines<Result>(
    of head: ResponseHead, isInterim: Bool = false, _ submit: Submission<Result>
  ) -> Result {
    let status = add { $0.append(decimal: UInt64(head.status.code)) }
    let length = add(length: isInterim ? nil : head.contentLength)
    return unsafe withLines(of: head.fields, submit) { lines in
      lines.add(":status", status)
      if let length { lines.add(FieldName.contentLength.text, length) }
    }
  }

  /// Calls `submit` with the lines of a request.
  func withLines<Result>(
    of head: RequestHead, _ submit: Submission<Result>
  ) -> Result {
    let method = add { $0.append(copying: head.method.text.utf8Span.span) }
    let scheme = add { $0.append(literal: head.isSecure ? "https" : "http") }
    let target = add { $0.append(copying: head.target.span) }
    let authority = head.fields.withValue(.host) { host in add { $0.append(copying: host) } }
    let length = add(length: head.contentLength)
    return unsafe withLines(of: head.fields, submit) { lines in
      lines.add(":method", method)
      if head.method != .connect {
        lines.add(":scheme", scheme)
        lines.add(":path", target)
      }
      if let authority { lines.add(":authority", authority) }
      if let length { lines.add(FieldName.contentLength.text, length) }
    }
  }

  /// Calls `submit` with the lines of a trailer.
  func withLines<Result>(
    of trailers: HTTPFields, _ submit: Submission<Result>
  ) -> Result {
    unsafe withLines(of: trailers, submit) { _ in }
  }

  private func add(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
    // Moved out, here and below: elsewhere the compiler then proves exclusive access, instead of
    // checking it for each line.
    var moved: [UInt8] = []
    swap(&moved, &bytes)
    let start = moved.count
    write(&moved)
    let end = moved.count
    swap(&moved, &bytes)
    return start..<end
  }

  private func add(length: UInt64?) -> Range<Int>? {
    length.map { length in add { $0.append(decimal: length) } }
  }

  /// Copies all bytes into one buffer first, because the lines point into it.
  private func withLines<Result>(
    of fields: HTTPFields, _ submit: Submission<Result>, after begin: (inout HTTP2Lines) -> Void
  ) -> Result {
    var bytes: [UInt8] = []
    swap(&bytes, &self.bytes)
    var lines = HTTP2Lines.vacant
    swap(&lines, &self.lines)
    defer { swap(&lines, &self.lines) }
    let start = bytes.count
    bytes.append(copying: fields.bytes.span)
    defer {
      bytes.removeAll(keepingCapacity: true)
      swap(&bytes, &self.bytes)
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe lines.begin(in: buffer)
      defer { lines.end() }
      begin(&lines)
      for entry in fields.entries { lines.add(entry, start) }
      return unsafe lines.submit(to: submit)
    }
  }
}

/// The table of lines in the library's format; the lines point into one buffer.
@safe struct HTTP2Lines {
  private var table = unsafe [nghttp2_nv]()
  private var buffer = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var repetitions: HTTP2Repetitions
  private let usesTable: Bool

  init(usesTable: Bool) {
    self.usesTable = usesTable
    repetitions = HTTP2Repetitions()
  }

  private init(_ repetitions: HTTP2Repetitions) {
    self.repetitions = repetitions
    usesTable = false
  }

  /// Takes the place of a table that is moved; must not be used.
  static var vacant: HTTP2Lines { HTTP2Lines(.vacant) }

  /// Starts a table of lines that point into these bytes, which must not move until `end`.
  @unsafe mutating func begin(in bytes: UnsafeBufferPointer<UInt8>) {
    unsafe buffer = bytes
  }

  /// Drops the lines and the pointer to their bytes.
  mutating func end() {
    unsafe table.removeAll(keepingCapacity: true)
    unsafe buffer = UnsafeBufferPointer(start: nil, count: 0)
  }

  /// Calls `body` with the table.
  @unsafe func submit<Result>(to body: HTTP2HeadWriter.Submission<Result>) -> Result {
    unsafe table.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
  }

  /// Adds a line without a restriction on its compression.
  mutating func add(_ name: StaticString, _ value: Range<Int>) {
    unsafe add(
      name.utf8Start, name.utf8CodeUnitCount, value, NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
  }

  /// Adds a field of a message whose bytes begin at `start` in the buffer.
  mutating func add(_ entry: HTTPFields.Entry, _ start: Int) {
    let value = start + Int(entry.valueStart)
    let range = value..<(value + Int(entry.valueCount))
    if let known = entry.known {
      guard !known.isHopByHop, known != .host, known != .contentLength else { return }
      let isNew = known.isSecret || !repeats(range, UInt64(known.rawValue))
      let flags = isNew ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0
      let name = known.text
      return unsafe add(
        name.utf8Start, name.utf8CodeUnitCount, range,
        flags | NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
    }
    let nameStart = start + Int(entry.nameStart)
    let name = unsafe text(nameStart..<(nameStart + Int(entry.nameCount)))
    let isNew = unsafe !repeats(range, HTTP2Repetitions.hash(name, seed: 0))
    let flags = isNew ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0
    unsafe add(name.baseAddress, name.count, range, flags)
  }

  private mutating func repeats(_ value: Range<Int>, _ name: UInt64) -> Bool {
    unsafe repetitions.notice(HTTP2Repetitions.hash(text(value), seed: name))
  }

  /// The bytes of a range, with a bounds check.
  @unsafe private func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: buffer[range])
  }

  @unsafe private mutating func add(
    _ name: UnsafePointer<UInt8>?, _ nameCount: Int, _ value: Range<Int>, _ flags: UInt32
  ) {
    let text = unsafe text(value)
    let flags = usesTable ? flags : flags | NGHTTP2_NV_FLAG_NO_INDEX.rawValue
    unsafe table.append(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name),
        value: UnsafeMutablePointer(mutating: text.baseAddress), namelen: nameCount,
        valuelen: text.count, flags: UInt8(flags)))
  }
}

extension FieldName {
  /// Whether the value must never enter a compression table, where guesses of it could be verified
  /// by message size (RFC 7541, section 7.1.3).
  var isSecret: Bool {
    switch self {
    case .authorization, .cookie, .proxyAuthorization, .setCookie: true
    default: false
    }
  }
}
