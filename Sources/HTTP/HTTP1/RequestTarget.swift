/// The forms a target may have (RFC 9112, section 3.2).
enum RequestTarget {
  /// Converts absolute form into origin form; keeps origin form, and `*` with OPTIONS, unchanged.
  ///
  /// - Throws: `malformedTarget` for any other form, for CONNECT (tunnels are not supported), for a
  ///   fragment, and for an absolute form whose authority differs from Host.
  static func normalise(
    _ target: inout [UInt8], method: HTTPMethod, host: HTTPFields
  ) throws(HTTP1Error) {
    guard method != .connect, !target.contains(0x23) else { throw .malformedTarget }
    if target[0] == 0x2F { return }
    if target == [0x2A] {
      guard method == .options else { throw .malformedTarget }
      return
    }
    let absolute = target
    let start = schemeCount(absolute.span)
    guard start > 0 else { throw .malformedTarget }
    let end = absolute[start...].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? absolute.count
    let authority = absolute.span.extracting(start..<end)
    guard Authority.isValid(authority) else { throw .malformedTarget }
    let agrees = host.withValue(.host) { isSame(authority, $0) } ?? true
    guard agrees else { throw .malformedTarget }
    if end == absolute.count {
      target = method == .options ? [0x2A] : [0x2F]
    } else {
      target = absolute[end] == 0x3F ? [0x2F] + absolute[end...] : Array(absolute[end...])
    }
  }

  private static func schemeCount(_ target: Span<UInt8>) -> Int {
    if target.count > 7, target.extracting(0..<7).equalsIgnoringCase("http://") { return 7 }
    if target.count > 8, target.extracting(0..<8).equalsIgnoringCase("https://") { return 8 }
    return 0
  }

  private static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices
    where ASCII.lowercased(left[index]) != ASCII.lowercased(right[index]) { return false }
    return true
  }
}
