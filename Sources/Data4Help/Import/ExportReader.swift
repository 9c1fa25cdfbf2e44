import Domain

/// Reads an Apple Health export, `export.xml` or the zip around it, from pieces of any size, and
/// gives its samples as they come; in memory that does not grow with the file.
///
/// Feed a piece, then call `advance` until it is false: each call does a bounded amount of work,
/// however much a zip grows.
package struct ExportReader {
  private enum Format {
    /// Too few bytes to tell.
    case unknown([UInt8])
    case xml
    case zip(ZipEntryReader)
  }

  private var format = Format.unknown([])
  private let parser: XMLPushParser
  /// Bytes of XML that wait for their step.
  private var waiting: [UInt8] = []

  /// A reader of a file that arrives at this time; nil where there is no memory for it.
  /// `pieceBytes` is how much is parsed at once.
  package init?(now: Timestamp, pieceBytes: Int = 32 * 1024) {
    guard let parser = XMLPushParser(AppleHealthDocument(now: now), pieceBytes: pieceBytes)
    else { return nil }
    self.parser = parser
  }

  /// Samples read and not taken yet.
  package var sampleCount: Int { parser.document.samples.count }

  /// Hands the samples read so far over.
  package func takeSamples() -> [Sample] { parser.document.takeSamples() }

  /// Records that are no sample of ours so far, by their type in the file.
  package var skipped: [String: Int] { parser.document.skipped }

  /// Takes the next piece of the file.
  package mutating func append(_ bytes: [UInt8]) {
    switch format {
    case .unknown(let before):
      let bytes = before + bytes
      guard bytes.count >= 4 else { return format = .unknown(bytes) }
      if Self.isZip(bytes) {
        var zip = ZipEntryReader()
        zip.append(bytes)
        format = .zip(zip)
      } else {
        format = .xml
        waiting = bytes
      }
    case .xml: waiting.append(contentsOf: bytes)
    case .zip(var zip):
      format = .xml  // the only reference, so that the input is not copied
      zip.append(bytes)
      format = .zip(zip)
    }
  }

  /// Reads on; false once everything that was fed is read.
  ///
  /// - Throws: where the file is malformed or over a limit; it is of no use then.
  package mutating func advance() throws(ImportFault) -> Bool {
    switch format {
    case .unknown: return false
    case .xml:
      guard !waiting.isEmpty else { return false }
      try parser.feed(waiting.span)
      waiting = []
      return true
    case .zip(var zip):
      format = .xml
      defer { format = .zip(zip) }
      switch try zip.next() {
      case .needsInput: return false
      case .advanced: return true
      case .output:
        try parser.feed(zip.output.span)
        return true
      }
    }
  }

  /// Says that the file ends here, after `advance` was false.
  ///
  /// - Throws: where it ends too early.
  package mutating func finish() throws(ImportFault) {
    switch format {
    case .unknown(let bytes): try parser.feed(bytes.span)
    case .xml: break
    case .zip(let zip): try zip.finish()
    }
    try parser.finish()
  }

  /// `PK` and the number of a local header or, of an empty zip, of the end.
  private static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }
}
