import Cryptography
import ServiceKit
import Web

/// The streamed file of one import, with its hash if the response is kept for repeated requests.
/// The hash includes the format first: the same file in another format is not a repetition.
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

  /// The bytes received so far.
  var bytesRead: Int64 { Int64(clamping: body.bytesRead) }

  /// The hash of the file, after its last piece; of no bytes if the file is not hashed.
  func digest() -> Digest256 { (hash ?? RunningSHA256()).finish() }

  /// Waits for the first piece, which `next` then returns.
  ///
  /// - Throws: `invalid` for an empty file, else as `next`.
  func begin() async throws(ApplicationError) {
    first = try await next()
    guard first != nil else {
      throw .invalid("The body is empty. Send the export's file as body, plain or in a zip.")
    }
  }

  /// The next piece, never empty; nil after the last.
  ///
  /// - Throws: `tooLarge` for a file over the limit, `timedOut` if the client was too slow or
  ///   closed the connection.
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
