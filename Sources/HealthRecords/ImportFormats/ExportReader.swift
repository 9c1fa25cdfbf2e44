import Domain
import Time
import Zip

/// Reads a file of one format, or the zip around such files, from pieces of any size, and returns
/// its samples as they arrive; in memory that does not grow with the file.
///
/// Feed a piece, then call `advance` until it is false: each call does a bounded amount of work,
/// even if a zip expands greatly.
package struct ExportReader {
  private enum Kind {
    /// Too few bytes to decide.
    case unknown([UInt8])
    case plain
    case zip(ZipEntryReader)
  }

  private let format: ImportFormat
  private let now: Instant
  private let pieceBytes: Int
  private var kind = Kind.unknown([])
  private var parser: any ImportParser
  /// Whether a file of a zip has begun.
  private var hasBegun = false
  /// The samples of the zip's earlier files.
  private var samplesBefore: [Sample] = []
  private var skippedBefore = SkippedRecords()
  /// The bytes of a plain file that await their step.
  private var waiting: [UInt8] = []

  /// A reader of a file that arrives at this time; nil if memory is short. `pieceBytes` is the
  /// amount of XML that is parsed at once.
  package init?(_ format: ImportFormat, now: Instant, pieceBytes: Int = 32 * 1024) {
    guard let parser = format.makeParser(now: now, pieceBytes: pieceBytes) else { return nil }
    self.format = format
    self.now = now
    self.pieceBytes = pieceBytes
    self.parser = parser
  }

  /// Samples read and not taken yet.
  package var sampleCount: Int { samplesBefore.count + parser.sampleCount }

  /// Returns and removes the samples read so far.
  package mutating func takeSamples() -> [Sample] {
    guard !samplesBefore.isEmpty else { return parser.takeSamples() }
    defer { samplesBefore = [] }
    return samplesBefore + parser.takeSamples()
  }

  /// The counts of skipped records so far, by their type in the file.
  package var skipped: [String: Int] {
    var all = skippedBefore
    all.add(parser.skipped)
    return all.counts
  }

  /// Appends the next piece of the file.
  package mutating func append(_ bytes: [UInt8]) {
    switch kind {
    case .unknown(let before):
      let bytes = before + bytes
      guard bytes.count >= 4 else { return kind = .unknown(bytes) }
      if Self.isZip(bytes) {
        var zip = ZipEntryReader(format.entries, within: ImportLimits.zip)
        zip.append(bytes)
        kind = .zip(zip)
      } else {
        kind = .plain
        waiting = bytes
      }
    case .plain: waiting.append(contentsOf: bytes)
    case .zip(var zip):
      kind = .plain  // the only reference, so that the input is not copied
      zip.append(bytes)
      kind = .zip(zip)
    }
  }

  /// Advances by one step; false once all appended bytes are read.
  ///
  /// - Throws: if the file is malformed or over a limit; the reader can't be used afterwards.
  package mutating func advance() throws(ImportFault) -> Bool {
    switch kind {
    case .unknown: return false
    case .plain:
      guard !waiting.isEmpty else { return false }
      try parser.feed(waiting.span)
      waiting = []
      return true
    case .zip(var zip):
      kind = .plain
      defer { kind = .zip(zip) }
      let step: ZipEntryReader.Step
      do throws(ZipFault) { step = try zip.next() } catch { throw ImportFault(error) }
      switch step {
      case .needsInput: return false
      case .advanced: return true
      case .begins:
        if hasBegun { try beginAnother() }
        hasBegun = true
        return true
      case .output:
        try parser.feed(zip.output.span)
        return true
      }
    }
  }

  private mutating func beginAnother() throws(ImportFault) {
    try parser.finish()
    samplesBefore += parser.takeSamples()
    skippedBefore.add(parser.skipped)
    guard let next = format.makeParser(now: now, pieceBytes: pieceBytes) else {
      throw .zip("There is not enough memory to read another file of the zip.")
    }
    parser = next
  }

  /// Ends the file, after `advance` was false.
  ///
  /// - Throws: if it ends too early.
  package mutating func finish() throws(ImportFault) {
    switch kind {
    case .unknown(let bytes): try parser.feed(bytes.span)
    case .plain: break
    case .zip(let zip): try finish(zip)
    }
    try parser.finish()
  }

  /// The fault of a zip that was cut off within a file gets the position reached in that file.
  private func finish(_ zip: ZipEntryReader) throws(ImportFault) {
    do throws(ZipFault) { try zip.finish() } catch {
      let fault = ImportFault(error)
      guard zip.isInWantedFile else { throw fault }
      throw self.fault(reachedBefore: fault)
    }
  }

  private func fault(reachedBefore cut: ImportFault) -> ImportFault {
    do throws(ImportFault) { try parser.finish() } catch {
      return ImportFault(line: error.line, column: error.column, cut.detail)
    }
    return cut
  }

  /// `PK` and the number of a local header or, of an empty zip, of the end.
  private static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }
}
