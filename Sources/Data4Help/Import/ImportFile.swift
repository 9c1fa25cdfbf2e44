import HTTP
import Privacy
import Services

/// The file of one import as it streams in, and its hash if its answer is kept for repetitions. The
/// hash begins with the format: the same file as of another format is no repetition.
final class ImportFile {
  private let body: BodyReader
  private let hash: RunningSHA256?
  private var first: [UInt8]?

  /// The file in this body, before its first piece.
  init(_ body: BodyReader, _ format: ImportFormat, isHashed: Bool) {
    self.body = body
    hash = isHashed ? RunningSHA256() : nil
    hash?.append(Array("\(format.rawValue)\n".utf8).span)
  }

  /// Bytes that have come so far.
  var bytesRead: Int64 { Int64(clamping: body.bytesRead) }

  /// The hash of the file, after its last piece; of nothing where it is not hashed.
  func digest() -> Digest256 { (hash ?? RunningSHA256()).finish() }

  /// Waits for the first piece, which `next` then gives.
  ///
  /// - Throws: 400 for an empty file, else as `next`.
  func begin() async throws(ApplicationError) {
    first = try await next()
    guard first != nil else {
      throw .invalid("The body is empty. Send the export's file as body, plain or in a zip.")
    }
  }

  /// The next piece, never empty; nil after the last.
  ///
  /// - Throws: 413 for a file over the limit, 408 where the client was too slow or went away.
  func next() async throws(ApplicationError) -> [UInt8]? {
    if let first {
      self.first = nil
      return first
    }
    do throws(BodyReader.Failure) {
      let piece = try await body.next()
      if let piece { hash?.append(piece.span) }
      return piece
    } catch {
      throw error == .tooLarge ? .tooLarge() : .timedOut
    }
  }
}
