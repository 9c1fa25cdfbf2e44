import Domain
import EventLoop
import HTTP
import HealthRecords
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Synchronization
import Time
import Web

/// Delivers the data of an accepted request to its third party (R14, R23, R24).
///
/// Data is delivered in batches. Each is one transaction: check the consent, which blocks the end
/// of the request; read; write the record of the access; commit. The samples are read outside the
/// transaction, while it holds the request (`SampleReader`, `ChunksOfNumbers`). Only after the
/// commit are the bytes sent. A long download therefore stops when the person ends the request, and
/// the record shows what had been sent by then. The batches of a loop take turns (`DeliveryTurns`).
struct RequestDelivery: Sendable {
  /// The maximum number of samples in a JSON page, and in one step of a file.
  static let batchMax = 10_000
  /// The maximum number of log entries that a batch reads.
  static let entriesMax = 1_000
  /// The number of samples of a file that are encoded in one turn of the loop.
  private static let encodedMax = 200
  /// The bytes of a file at which encoding pauses until its client has received them. The samples
  /// encoded last may add twice as many.
  private static let encodedBytes = 128 << 10
  /// The time limit of a batch.
  static let batchTimeMax = Duration.seconds(20)

  let loop: EventLoop
  let environment: Environment
  let database: Database
  let fence: LoopBound<RevocationFence>
  let turns: DeliveryTurns
  let downloads: DownloadSlots
  let samples: SampleStore
  let accesses: AccessRecorder

  /// The page or the file that the query asks for.
  func deliver(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response
  {
    guard let requestID = request.query["reqID"].flatMap({ DataRequestID($0) }) else {
      throw .invalid("The query parameter reqID must be a UUID.", field: "reqID")
    }
    let start = try position(request.query, of: requestID)
    switch request.query["format"] ?? "json" {
    case "csv": return try await file(requestID, identity.account, from: start, CSVDownload())
    case "ndjson":
      return try await file(requestID, identity.account, from: start, NDJSONDownload())
    case "fhir":
      let bundle = FHIRDownload(requestID, at: environment.now().flooredToMilliseconds)
      return try await file(requestID, identity.account, from: start, bundle)
    default:
      let slot = try downloads.take(for: identity.account)
      let page = try await batch(of: requestID, for: identity.account, from: start, .json)
      return try .json(
        Self.document(page, of: requestID), of: [requestID], readAt: page.readAt, behind: fence,
        holding: slot)
    }
  }

  /// The third party's number that a cursor names; 1 without one.
  private func position(
    _ query: Query, of requestID: DataRequestID
  ) throws(ApplicationError) -> Int64 {
    guard let words = try PageCursor.words(.delivery, in: query) else { return 1 }
    let number = Int64(bitPattern: words[2])
    guard words[0] == requestID.high, words[1] == requestID.low, number >= 1 else {
      throw PageCursor.wrong
    }
    return number
  }

  /// The next samples of a request, after their access was recorded.
  ///
  /// - Throws: `notFound`, `paymentDue` and `conflict` as `ConsentProof.check`; `unavailable` if a
  ///   database is unavailable; `rateLimited` and `unavailable` as `DeliveryTurns.run`.
  func batch(
    of requestID: DataRequestID, for thirdParty: AccountID, from number: Int64,
    _ format: AccessFormat, hasBegun: Bool = false
  ) async throws(ApplicationError) -> DeliveryBatch {
    try await turns.run(for: thirdParty, hasBegun: hasBegun) {
      () throws(ApplicationError) -> DeliveryBatch in
      let readAt = loop.now
      return try await database.transaction(within: Self.batchTimeMax) {
        (transaction) throws(ApplicationError) in
        let now = environment.now()
        let proof = try await ConsentProof.check(
          requestID, of: thirdParty, at: now, in: transaction)
        var batch = try await read(under: proof, from: number, Self.batchMax, in: transaction)
        batch.readAt = readAt
        try await record(batch, format, under: proof, at: now, in: transaction)
        return batch
      }
    }
  }

  /// All samples as the bytes of one file for a mail, after their access was recorded; nil, and
  /// nothing recorded, if the file is longer than a batch or than `bytesMax`.
  ///
  /// The person's record stays locked to the end of the transaction.
  ///
  /// - Throws: as `batch`.
  func mailed(
    _ requestID: DataRequestID, to thirdParty: AccountID, bytesMax: Int,
    in transaction: Transaction<ApplicationError>, _ write: (DeliveryBatch) -> [UInt8]
  ) async throws(ApplicationError) -> [UInt8]? {
    let now = environment.now()
    let proof = try await ConsentProof.check(requestID, of: thirdParty, at: now, in: transaction)
    let batch = try await read(under: proof, from: 1, Self.batchMax, in: transaction)
    guard !batch.hasMore else { return nil }
    let bytes = write(batch)
    guard bytes.count <= bytesMax else { return nil }
    try await record(batch, .mail, under: proof, at: now, in: transaction)
    return bytes
  }

  private func record(
    _ batch: DeliveryBatch, _ format: AccessFormat, under proof: borrowing ConsentProof,
    at now: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let first = batch.samples.first, let last = batch.samples.last else { return }
    let delivery = AccessedData(
      account: proof.account, thirdParty: proof.thirdParty, requestID: proof.requestID,
      time: now, format: format, types: DataTypeSet(batch.samples.lazy.map(\.type)),
      firstNumber: first.number, lastNumber: last.number, count: batch.samples.count)
    try await accesses.record(delivery, in: transaction)
  }

  /// Reads the samples of one request. `ThirdPartySequence` reads those of several requests under
  /// `ConsentProofs`; no other code reads samples for requests.
  private func read(
    under proof: borrowing ConsentProof, from number: Int64, _ countMax: Int,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> DeliveryBatch {
    let found = try await transaction.run(
      LogEntries(
        requestID: proof.requestID, from: number, countMax: Int64(Self.entriesMax + 1)))
    let entries = found.prefix(Self.entriesMax).map { $0.from(number) }
    var batch = DeliveryBatch(
      next: entries.last.map { $0.lastNumber + 1 } ?? number,
      hasMore: found.count > Self.entriesMax, isLive: proof.isLive)
    for run in LogRun.runs(of: entries) {
      var reader = try await samples.reader(
        SampleSelection(
          account: proof.account, sequences: run.sequences,
          types: run.types.intersection(proof.types), from: proof.from, to: proof.to))
      var index = 0
      while let page = try await reader.next() {
        for sample in page {
          let number = run.number(of: sample.sample.sequence, from: &index)
          guard batch.samples.count < countMax else {
            batch.hasMore = true
            batch.next = number
            return batch
          }
          batch.samples.append(DeliveredSample(number: number, sample))
        }
      }
    }
    return batch
  }

  static func document(_ batch: DeliveryBatch, of requestID: DataRequestID) -> [UInt8] {
    var writer = JSONWriter(capacity: 200 + 140 * batch.samples.count)
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.array("samples") { writer in
        for sample in batch.samples { sample.write(to: &writer) }
      }
      if batch.hasMore || batch.isLive {
        let words = [requestID.high, requestID.low, UInt64(bitPattern: batch.next)]
        writer.field("next", PageCursor.text(.delivery, words))
      }
    }
    return writer.bytes
  }

  /// All samples in one response, which is written as fast as it is read.
  private func file<Form: Download>(
    _ requestID: DataRequestID, _ thirdParty: AccountID, from number: Int64, _ form: Form
  ) async throws(ApplicationError) -> Response {
    let slot = try downloads.take(for: thirdParty)
    let first = FirstBatch(
      try await batch(of: requestID, for: thirdParty, from: number, Form.format))
    var response = Response.stream(contentType: Form.contentType) { writer in
      defer { slot.release() }
      slot.demandRate(of: writer)
      try await write(first, of: requestID, for: thirdParty, as: form, to: writer)
    }
    response.fields.append(
      "content-disposition", "attachment; filename=\"\(requestID).\(Form.suffix)\"")
    return response
  }

  /// Writes a file: a batch is read after the previous one was sent, and a part of it is encoded
  /// after the previous part was sent, so that an unread file holds little memory.
  private func write<Form: Download>(
    _ first: FirstBatch, of requestID: DataRequestID, for thirdParty: AccountID, as form: Form,
    to writer: BodyWriter
  ) async throws {
    guard var batch = first.take() else { return }
    var form = form
    var bytes: [UInt8] = []
    form.begin(&bytes)
    while true {
      var rest = batch.samples[...]
      batch.samples = []
      while !rest.isEmpty {
        try await turns.run(for: thirdParty, hasBegun: true) { () throws(ApplicationError) in
          while !rest.isEmpty, bytes.count < Self.encodedBytes {
            form.add(Array(rest.prefix(Self.encodedMax)), to: &bytes)
            rest = rest.dropFirst(Self.encodedMax)
            await loop.nextTurn()
          }
        }
        try await fence.value.write(bytes, of: [requestID], readAt: batch.readAt, to: writer)
        bytes = []
      }
      // An empty slice would keep the samples while the next ones are read.
      rest = []
      guard batch.hasMore else { break }
      batch = try await self.batch(
        of: requestID, for: thirdParty, from: batch.next, Form.format, hasBegun: true)
    }
    while form.addRest(Self.encodedMax, to: &bytes) {
      try await fence.value.write(bytes, of: [requestID], readAt: batch.readAt, to: writer)
      bytes = []
      await loop.nextTurn()
    }
    form.end(&bytes)
    try await fence.value.write(bytes, of: [requestID], readAt: batch.readAt, to: writer)
  }
}

/// The first batch of a file, which its response holds only until it is written.
private final class FirstBatch: Sendable {
  private let batch: Mutex<DeliveryBatch?>

  init(_ batch: DeliveryBatch) { self.batch = Mutex(batch) }

  func take() -> DeliveryBatch? {
    batch.withLock { batch in
      defer { batch = nil }
      return batch
    }
  }
}

extension Response {
  /// A JSON document with data of these requests, which the fence cuts off when one of them is
  /// revoked. It holds a download's slot until it is sent.
  ///
  /// - Throws: `unavailable` if the data may not be sent.
  static func json(
    _ bytes: [UInt8], of requestIDs: [DataRequestID], readAt: MonotonicInstant,
    behind fence: LoopBound<RevocationFence>, holding slot: DownloadSlot? = nil
  ) throws(ApplicationError) -> Response {
    try fence.value.check(requestIDs, readAt: readAt)
    guard !requestIDs.isEmpty else { return .json(bytes) }
    return .stream(contentType: "application/json") { writer in
      defer { slot?.release() }
      slot?.demandRate(of: writer)
      try await fence.value.write(bytes, of: requestIDs, readAt: readAt, to: writer)
    }
  }
}

/// Samples that are delivered together.
struct DeliveryBatch: Sendable {
  var samples: [DeliveredSample] = []
  /// The third party's number of the next sample.
  var next: Int64
  /// Whether more samples are present already.
  var hasMore: Bool
  /// When reading them began.
  var readAt = MonotonicInstant.zero
  /// Whether more samples may follow.
  let isLive: Bool
}
