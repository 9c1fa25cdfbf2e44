import EventLoop
import Time
import Web
import Zip

/// Writes the files of an archive as a zip into the body of a response, in pieces, pausing for a
/// slow client.
///
/// At most one piece is in memory. Only for the task that created it, on its loop.
struct ArchiveWriter {
  /// Why an archive was aborted.
  enum Failure: Error {
    /// The client received it too slowly.
    case tooSlow
  }

  /// The bytes sent together, approximately.
  private static let pieceBytes = 64 * 1024
  /// The longest time for an archive: with the largest account, 100 kB a second.
  static let timeMax = Duration.seconds(3600)

  /// The lowest rate at which a client must receive it, per minute, because slots are limited.
  static let bytesPerSecondMin = 32 * 1024

  private let zip: ZipWriter
  private let body: BodyWriter
  private let end: MonotonicInstant
  private let environment: Environment
  private var waiting: [UInt8] = []

  init(_ zip: ZipWriter, into body: BodyWriter, _ environment: Environment) {
    self.zip = zip
    self.body = body
    self.environment = environment
    end = environment.monotonicNow() + Self.timeMax
  }

  /// Writes a file from memory.
  mutating func add(_ name: String, _ bytes: [UInt8]) async throws {
    try await begin(name)
    try await write(bytes)
    try await endFile()
  }

  mutating func begin(_ name: String) async throws { try await send(zip.begin(name)) }

  mutating func write(_ bytes: [UInt8]) async throws {
    try await send(zip.write(bytes))
    // Other tasks of this loop run between two pieces.
    await Task.yield()
  }

  mutating func endFile() async throws { try await send(zip.endEntry()) }

  /// Writes the directory and the remaining bytes.
  mutating func finish() async throws {
    waiting += zip.end()
    try await body.write(waiting)
    waiting = []
  }

  private mutating func send(_ bytes: [UInt8]) async throws {
    guard environment.monotonicNow() < end else { throw Failure.tooSlow }
    waiting += bytes
    guard waiting.count >= Self.pieceBytes else { return }
    let piece = waiting
    waiting = []
    try await body.write(piece)
  }
}
