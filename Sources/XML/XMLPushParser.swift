import CExpat

// SAFETY: expat calls back only inside `XML_Parse`, on the caller's thread, with the pointer to the
// calling instance, which frees the parser in its deinit. Names and values passed to callbacks are
// NUL-terminated and valid during the call; they are copied. expat interns attribute names: the
// same name has the same pointer as long as the parser lives.

/// Reads an XML document in pieces of any size, in constant memory.
///
/// Pieces are collected (usually to 32 KiB) before they are parsed, because expat scans an
/// incomplete token again for each piece. The document type declaration is replaced by blanks
/// (`XMLProlog`), and the vertical tabs that some versions of iOS 16 write in device names are read
/// as spaces. For one task at a time.
@safe package final class XMLPushParser {
  private let parser: XML_Parser
  private let pieceBytes: Int
  private let limits: XMLLimits
  private let document: any XMLDocument
  private var element = XMLElement()
  private let attributeNames: [String]
  private var attributes: [UInt: XMLElement.Attribute?] = [:]
  private var depth = 0
  private var elementCount = 0
  private var pending: [UInt8] = []
  private var isInProlog = true
  private var fedBytes = 0
  private var fault: XMLFault?

  /// Creates a parser that reports elements to `document`; nil if memory is exhausted.
  package init?(_ document: any XMLDocument, within limits: XMLLimits, pieceBytes: Int) {
    guard let parser = unsafe XML_ParserCreate(nil) else { return nil }
    unsafe self.parser = parser
    self.document = document
    self.pieceBytes = pieceBytes
    self.limits = limits
    attributeNames = document.attributes.prefix(XMLElement.attributesMax).map(\.description)
    let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe XML_SetUserData(parser, pointer)
    unsafe XML_SetElementHandler(
      parser,
      { user, name, attributes in
        if let user = unsafe user, let name = unsafe name, let attributes = unsafe attributes {
          unsafe XMLPushParser.of(user).started(name, attributes)
        }
      },
      { user, _ in
        if let user = unsafe user { unsafe XMLPushParser.of(user).ended() }
      })
    if document.readsText {
      unsafe XML_SetCharacterDataHandler(parser) { user, text, count in
        if let user = unsafe user, let text = unsafe text {
          unsafe XMLPushParser.of(user).continued(text, count)
        }
      }
    }
    unsafe XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
      if let user = unsafe user, let encoding = unsafe encoding {
        unsafe XMLPushParser.of(user).declared(encoding)
      }
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      if let user = unsafe user {
        unsafe XMLPushParser.of(user).refuse("A document type declaration is not expected here.")
      }
    }
  }

  deinit { unsafe XML_ParserFree(parser) }

  private static func of(_ user: UnsafeMutableRawPointer) -> XMLPushParser {
    unsafe Unmanaged<XMLPushParser>.fromOpaque(user).takeUnretainedValue()
  }

  // MARK: Bytes in

  /// Parses the next piece.
  ///
  /// - Throws: if the document is malformed or exceeds a limit; the parser must not be used
  ///   afterwards.
  package func feed(_ bytes: Span<UInt8>) throws(XMLFault) {
    unsafe bytes.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
    if pending.count >= pieceBytes { try parsePending(isLast: false) }
  }

  /// Ends the document.
  ///
  /// - Throws: the errors of `feed`, also for an incomplete document.
  package func finish() throws(XMLFault) {
    try parsePending(isLast: true)
  }

  private func parsePending(isLast: Bool) throws(XMLFault) {
    if isInProlog {
      guard let blanked = try XMLProlog.blanked(pending, isLast: isLast) else { return }
      pending = blanked
      isInProlog = false
    }
    fedBytes += pending.count
    guard fedBytes <= limits.documentBytesMax else {
      throw located("The document is longer than \(limits.documentBytesMax) bytes.")
    }
    readVerticalTabsAsSpaces()
    var start = 0
    repeat {
      let end = min(start + pieceBytes, pending.count)
      try parse(start..<end, isLast: isLast && end == pending.count)
      start = end
    } while start < pending.count
    pending.removeAll(keepingCapacity: true)
  }

  private func parse(_ range: Range<Int>, isLast: Bool) throws(XMLFault) {
    let status = unsafe pending.withUnsafeBytes { bytes in
      unsafe XML_Parse(
        parser,
        bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: CChar.self),
        Int32(range.count), isLast ? 1 : 0)
    }
    if let fault { throw fault }
    guard status == XML_STATUS_OK else {
      let code = unsafe XML_GetErrorCode(parser)
      if isLast, Self.isTruncation(code) {
        throw located("The file ends before its root element does: it is truncated.")
      }
      let words = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) }
      throw located("The XML is malformed: \(words ?? "it can't be read").")
    }
    let parsedBytes = unsafe Int(XML_GetCurrentByteIndex(parser))
    let unparsed = fedBytes - pending.count + range.upperBound - max(0, parsedBytes)
    guard isLast || unparsed <= XMLLimits.markupBytesMax else {
      throw located("A piece of markup is longer than \(XMLLimits.markupBytesMax) bytes.")
    }
  }

  /// Whether the last piece failed only because the document is incomplete: it ends between
  /// elements, or in a tag, comment, character or CDATA section.
  private static func isTruncation(_ code: XML_Error) -> Bool {
    switch code {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
      XML_ERROR_UNCLOSED_CDATA_SECTION:
      true
    default: false
    }
  }

  private func readVerticalTabsAsSpaces() {
    guard pending.contains(0x0B) else { return }
    for index in pending.indices where pending[index] == 0x0B { pending[index] = 0x20 }
  }

  // MARK: From expat

  private func started(
    _ name: UnsafePointer<XML_Char>,
    _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>
  ) {
    depth += 1
    elementCount += 1
    guard unsafe XML_GetCurrentByteCount(parser) <= XMLLimits.tagBytesMax else {
      return refuse("A start tag is longer than \(XMLLimits.tagBytesMax) bytes.")
    }
    guard depth <= XMLLimits.depthMax else {
      return refuse("Elements are nested more than \(XMLLimits.depthMax) levels deep.")
    }
    guard elementCount <= limits.elementsMax else {
      return refuse("The document has more than \(limits.elementsMax) elements.")
    }
    unsafe element.begin(bytes(of: name))
    var index = 0
    while let name = unsafe attributes[index], let value = unsafe attributes[index + 1] {
      index += 2
      if let attribute = unsafe attribute(of: name) {
        unsafe element.add(attribute, bytes(of: value))
      }
    }
    guard self.attributes.count <= XMLLimits.attributeNamesMax else {
      return refuse("Attributes have more than \(XMLLimits.attributeNamesMax) different names.")
    }
    if let words = document.began(element, depth: depth) { refuse(words) }
  }

  private func ended() {
    if document.readsText { document.ended(depth: depth) }
    depth -= 1
  }

  private func continued(_ text: UnsafePointer<XML_Char>, _ count: Int32) {
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
    unsafe document.continued(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
  }

  private func declared(_ encoding: UnsafePointer<XML_Char>) {
    let name = unsafe String(cString: encoding).lowercased()
    guard name == "utf-8" || name == "us-ascii" else {
      return refuse("The document is not written in UTF-8.")
    }
  }

  private func attribute(of name: UnsafePointer<XML_Char>) -> XMLElement.Attribute? {
    let key = UInt(bitPattern: name)
    if let known = attributes[key] { return known }
    let text = unsafe String(cString: name)
    let attribute = attributeNames.firstIndex(of: text).map { XMLElement.Attribute($0) }
    attributes[key] = .some(attribute)
    return attribute
  }

  private func bytes(of text: UnsafePointer<XML_Char>) -> UnsafeBufferPointer<UInt8> {
    var count = 0
    while unsafe text[count] != 0 { count += 1 }
    return unsafe UnsafeRawBufferPointer(start: text, count: count).assumingMemoryBound(
      to: UInt8.self)
  }

  /// Stops parsing with a fault at the current position.
  private func refuse(_ detail: String) {
    guard fault == nil else { return }
    fault = located(detail)
    unsafe XML_StopParser(parser, UInt8(XML_FALSE))
  }

  private func located(_ detail: String) -> XMLFault {
    unsafe XMLFault(
      line: Int(XML_GetCurrentLineNumber(parser)),
      column: Int(XML_GetCurrentColumnNumber(parser)) + 1, detail)
  }
}
