import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Receives one export: parses it while it comes, and stages its samples sealed, in batches; the
/// file itself is written nowhere, and memory does not grow with it.
struct ImportReceiving {
  private let surroundings: Surroundings
  private let key: ImportKey
  private let sealingKey: SealingKey
  private let body: BodyReader
  private let format: ImportFormat
  private var report = ImportReport()
  private var nextNumber: Int32 = 0
  private var heartbeatAt: MonotonicInstant

  /// How long after a heartbeat the receiver, or a merging worker, counts as gone.
  static let lostAfter = Duration.seconds(120)
  /// How often the heartbeat moves while nothing is staged.
  static let heartbeatInterval = Duration.seconds(10)
  /// Steps of the parser after which other work of the loop has its turn: half a MiB of XML.
  private static let stepsMax = 8

  /// The import of an account that is open already.
  init(
    _ key: ImportKey, _ format: ImportFormat, _ body: BodyReader, _ surroundings: Surroundings,
    _ sealingKey: SealingKey
  ) {
    self.format = format
    self.key = key
    self.body = body
    self.surroundings = surroundings
    self.sealingKey = sealingKey
    heartbeatAt = surroundings.world.monotonicNow()
  }

  /// Why receiving ended early.
  private enum Failure: Error {
    case malformed(ImportFault)
    case body(BodyReader.Failure)
    case problem(Problem)
  }

  /// Receives the file to its end. A malformed one is received too: the import then has failed.
  ///
  /// - Throws: 413 for a file over the limit, 503 if the database is away; the import is swept.
  mutating func receive() async throws(Problem) {
    do throws(Failure) {
      try await parse()
      try await beginMerging()
    } catch {
      switch error {
      case .malformed(let fault):
        try await fail(fault)
        try await discardRest()
      case .body(let failure):
        await sweep()
        throw failure == .tooLarge ? .tooLarge() : .requestTimedOut
      case .problem(let problem):
        await sweep()
        throw problem
      }
    }
  }

  private mutating func parse() async throws(Failure) {
    guard var reader = ExportReader(format, now: surroundings.world.now().timestamp) else {
      throw .problem(.unavailable())
    }
    while let piece = try await nextPiece() {
      reader.append(piece)
      var steps = 0
      while try advance(&reader) {
        try await stage(&reader, atLeast: StagedBlocks.samplesMax)
        steps += 1
        if steps.isMultiple(of: Self.stepsMax) { await Task.yield() }
      }
      if heartbeatAt + Self.heartbeatInterval <= surroundings.world.monotonicNow() {
        try await stage(&reader, atLeast: 0)
      }
    }
    do throws(ImportFault) { try reader.finish() } catch { throw .malformed(error) }
    try await stage(&reader, atLeast: 0)
  }

  private func nextPiece() async throws(Failure) -> [UInt8]? {
    do throws(BodyReader.Failure) { return try await body.next() } catch { throw .body(error) }
  }

  private func advance(_ reader: inout ExportReader) throws(Failure) -> Bool {
    do throws(ImportFault) { return try reader.advance() } catch { throw .malformed(error) }
  }

  /// Stages what was read, if it is enough, and moves the heartbeat.
  private mutating func stage(
    _ reader: inout ExportReader, atLeast samplesMin: Int
  ) async throws(Failure) {
    guard reader.sampleCount >= samplesMin else { return }
    let samples = reader.takeSamples()
    report.samples += samples.count
    report.skipped = reader.skipped
    let blocks: StagedBlocks
    do throws(SampleBlockError) {
      blocks = try StagedBlocks(samples, from: nextNumber, of: key, with: sealingKey)
    } catch {
      throw .problem(.sampleStore(.corrupt))
    }
    nextNumber += Int32(blocks.numbers.count)
    let statement = StageBlocks(
      account: key.account, id: key.id, now: surroundings.world.now(), bytesRead: bytesRead,
      report: report.sealed(key, with: sealingKey), blocks: blocks)
    do throws(Problem) {
      guard try await surroundings.database.effect(statement) == 1 else {
        throw .wrongState("The import took too long and was given up.")
      }
    } catch {
      throw .problem(error)
    }
    heartbeatAt = surroundings.world.monotonicNow()
  }

  private var bytesRead: Int64 { Int64(clamping: body.bytesRead) }

  private func beginMerging() async throws(Failure) {
    let statement = BeginMerging(
      account: key.account, id: key.id, now: surroundings.world.now(), bytesRead: bytesRead,
      report: report.sealed(key, with: sealingKey))
    do throws(Problem) {
      guard try await surroundings.database.effect(statement) != nil else {
        throw .wrongState("The import took too long and was given up.")
      }
    } catch {
      throw .problem(error)
    }
  }

  // MARK: Ends

  private mutating func fail(_ fault: ImportFault) async throws(Problem) {
    report.error = fault
    _ = try await surroundings.database.effect(
      FailImport(
        account: key.account, id: key.id, now: surroundings.world.now(), bytesRead: bytesRead,
        report: report.sealed(key, with: sealingKey)))
  }

  /// Reads what is left of the file, so that the client gets to read the answer.
  private func discardRest() async throws(Problem) {
    do throws(BodyReader.Failure) {
      while try await body.next() != nil {}
    } catch {
      throw error == .tooLarge ? .tooLarge() : .requestTimedOut
    }
  }

  /// Removes everything; where the database is away, the workers sweep it later.
  private func sweep() async {
    do throws(PostgresError) {
      try await surroundings.database.write(RemoveImport(account: key.account, id: key.id))
    } catch {
      surroundings.log.warning("an import could not be swept and will be later")
    }
  }
}
