import Bytes
import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Postgres
import ServiceKit
import Time
import Web

/// Receives one export: parses it as it arrives, and stages its samples sealed, in batches. The
/// file itself is written nowhere, and memory does not grow with it.
struct ImportReceiving {
  private let environment: Environment
  private let database: Database
  private let log: Log
  private let key: ImportKey
  private let sealingKey: SealingKey
  private let file: ImportFile
  private let format: ImportFormat
  private let claim: IdempotencyClaim?
  private var report = ImportReport()
  private var nextNumber: Int32 = 0
  private var heartbeatAt: MonotonicInstant

  /// The time after its last heartbeat when a receiver, or a merging worker, counts as lost.
  static let lostAfter = Duration.seconds(120)
  /// The heartbeat interval while nothing is staged.
  static let heartbeatInterval = Duration.seconds(10)
  /// The parser steps after which other tasks of the loop run: half a MiB of XML.
  private static let stepsMax = 8

  /// Receives for an import that is open already; its response is kept under `claim`.
  init(
    _ key: ImportKey, _ format: ImportFormat, _ file: ImportFile, environment: Environment,
    database: Database,
    log: Log,
    _ sealingKey: SealingKey, keeping claim: IdempotencyClaim?
  ) {
    self.format = format
    self.key = key
    self.file = file
    self.environment = environment
    self.database = database
    self.log = log
    self.sealingKey = sealingKey
    self.claim = claim
    heartbeatAt = environment.monotonicNow()
  }

  /// Why parsing ended early.
  private enum Failure: Error {
    case malformed(ImportFault)
    case problem(ApplicationError)
  }

  /// Receives the whole file and answers 202. A malformed file is received in full too, so that the
  /// client can read the response; the import has then failed.
  ///
  /// - Throws: `tooLarge` for a file over the limit, `unavailable` if the database is unavailable;
  ///   the import is then removed.
  mutating func receive() async throws(ApplicationError) -> Response {
    do throws(ApplicationError) {
      do throws(Failure) { try await parse() } catch {
        switch error {
        case .malformed(let fault):
          report.error = fault
          try await discardRest()
        case .problem(let problem): throw problem
        }
      }
      return try await end()
    } catch {
      await sweep()
      throw error
    }
  }

  private mutating func parse() async throws(Failure) {
    guard var reader = ExportReader(format, now: environment.now().flooredToMilliseconds) else {
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
      if isHeartbeatDue { try await stage(&reader, atLeast: 0) }
    }
    do throws(ImportFault) { try reader.finish() } catch { throw .malformed(error) }
    try await stage(&reader, atLeast: 0)
  }

  private func nextPiece() async throws(Failure) -> [UInt8]? {
    do throws(ApplicationError) { return try await file.next() } catch { throw .problem(error) }
  }

  private func advance(_ reader: inout ExportReader) throws(Failure) -> Bool {
    do throws(ImportFault) { return try reader.advance() } catch { throw .malformed(error) }
  }

  /// Stages the samples read, if they are enough for a batch, and moves the heartbeat.
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
      throw .problem(.internalError(SampleStoreError.corrupt))
    }
    nextNumber += Int32(blocks.numbers.count)
    do throws(ApplicationError) { try await store(blocks) } catch { throw .problem(error) }
  }

  /// Stores blocks, possibly none, and moves the heartbeat.
  private mutating func store(_ blocks: StagedBlocks) async throws(ApplicationError) {
    let statement = StageBlocks(
      account: key.account, id: key.id, now: environment.now(), bytesRead: file.bytesRead,
      report: report.sealed(key, with: sealingKey), blocks: blocks)
    guard try await database.effect(statement) == 1 else { throw Self.givenUp }
    heartbeatAt = environment.monotonicNow()
  }

  private var isHeartbeatDue: Bool {
    heartbeatAt + Self.heartbeatInterval <= environment.monotonicNow()
  }

  private static let givenUp = ApplicationError.conflict(
    "The import took too long and was stopped.")

  // MARK: Ends

  /// Records that the file has arrived, or its fault; the response is kept in the same transaction.
  private func end() async throws(ApplicationError) -> Response {
    let response = Response.json(status: .accepted) { $0.field("importID", key.id.description) }
    let now = environment.now()
    let report = report.sealed(key, with: sealingKey)
    let hasFailed = self.report.error != nil
    try await database.transaction { (transaction) throws(ApplicationError) in
      let ended =
        if hasFailed {
          try await transaction.runOne(
            FailImport(
              account: key.account, id: key.id, now: now, bytesRead: file.bytesRead,
              report: report))
        } else {
          try await transaction.runOne(
            BeginMerging(
              account: key.account, id: key.id, now: now, bytesRead: file.bytesRead,
              report: report))
        }
      guard ended != nil else { throw Self.givenUp }
      try await claim?.keep(response, to: file.digest(), in: transaction)
    }
    return response
  }

  /// Reads and discards the rest of the file.
  private mutating func discardRest() async throws(ApplicationError) {
    while try await file.next() != nil {
      if isHeartbeatDue { try await store(StagedBlocks()) }
    }
  }

  /// Removes the import and its blocks; if the database is unavailable, the workers remove them
  /// later.
  private func sweep() async {
    do throws(PostgresError) {
      try await database.write(RemoveImport(account: key.account, id: key.id))
    } catch {
      log.failure(
        "remove import failed", error, level: .warning,
        .number("account_id", key.account.rawValue), .safe("import_id", key.id))
    }
  }
}
