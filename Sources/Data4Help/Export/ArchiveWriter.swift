import EventLoop
import HTTP

/// Writes the files of an archive as a zip into the body of a response, in pieces, waiting where
/// the client is slow.
///
/// What waits in memory is one piece. For the task that made it, on its loop.
struct ArchiveWriter {
  /// Why an archive breaks off.
  enum Failure: Error {
    /// The client took it too slowly to be waited for any longer.
    case tooSlow
  }

  /// Bytes that leave together, about.
  private static let pieceBytes = 64 * 1024
  /// How long an archive may take at most: with the largest account, 100 kB a second.
  static let timeMax = Duration.seconds(3600)

  /// What its reader takes at least, by the minute: places are few.
  static let bytesPerSecondMin = 32 * 1024

  private let zip: ZipWriter
  private let body: BodyWriter
  private let end: MonotonicInstant
  private let world: World
  private var waiting: [UInt8] = []

  init(_ zip: ZipWriter, into body: BodyWriter, _ world: World) {
    self.zip = zip
    self.body = body
    self.world = world
    end = world.monotonicNow() + Self.timeMax
  }

  /// Writes a file that is at hand.
  mutating func add(_ name: String, _ bytes: [UInt8]) async throws {
    try await begin(name)
    try await write(bytes)
    try await endFile()
  }

  mutating func begin(_ name: String) async throws { try await send(zip.begin(name)) }

  mutating func write(_ bytes: [UInt8]) async throws {
    try await send(zip.write(bytes))
    // Others of this loop have their turn between two pieces.
    await Task.yield()
  }

  mutating func endFile() async throws { try await send(zip.endEntry()) }

  /// Writes the directory and what is left.
  mutating func finish() async throws {
    waiting += zip.end()
    try await body.write(waiting)
    waiting = []
  }

  private mutating func send(_ bytes: [UInt8]) async throws {
    guard world.monotonicNow() < end else { throw Failure.tooSlow }
    waiting += bytes
    guard waiting.count >= Self.pieceBytes else { return }
    let piece = waiting
    waiting = []
    try await body.write(piece)
  }
}
