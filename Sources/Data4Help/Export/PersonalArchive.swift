import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import HealthRecords
import JSON
import Postgres
import ServiceKit
import Sharing
import Time
import Web
import Zip

/// Writes the archive of everything that the system stores about one account (ACC-11).
///
/// No database connection is held between two pieces: each page is read after the previous one was
/// sent. So each page shows the data at the time of its reading; samples that arrive meanwhile are
/// left out.
struct PersonalArchive: Sendable {
  /// The rows of a page.
  static let pageMax = 500
  /// The limits for our own answers, which may be longer than requests of clients.
  private static let pageLimits = JSONLimits(bytesMax: 16 << 20)
  /// Samples written together: some milliseconds of the loop.
  private static let stepMax = 500

  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let zone: TimeZoneRules
  let samples: SampleStore
  /// Returns an endpoint's answer to the owner of the archive, for a query.
  let answer: @Sendable (ArchivedAnswer, _ query: String) async throws(ApplicationError) -> Response
  let identity: Identity

  /// Writes all files.
  ///
  /// - Throws: if the client disconnects, a database is unavailable, or the account was deleted
  ///   meanwhile: the archive then has no directory and can't be opened.
  func write(to body: BodyWriter, at time: Instant) async throws {
    let day = zone.day(of: time).components
    guard let zip = ZipWriter(year: day.year, month: day.month, day: day.day) else {
      throw ApplicationError.internalError(because: "The date of the archive is out of range.")
    }
    var archive = ArchiveWriter(zip, into: body, environment)
    let readme = ArchiveReadme.text(for: identity.kind, at: time)
    try await archive.add("README.txt", Array(readme.utf8))
    for document in ArchiveContents.answers(for: identity.kind) {
      try await add(document, to: &archive)
    }
    try await addSessions(to: &archive)
    if identity.kind == .singleUser {
      try await addImports(to: &archive)
      try await addSamples(at: time, to: &archive)
    }
    guard try await database.row(AccountIsThere(account: identity.account)) != nil
    else { throw ApplicationError.notFound }
    try await archive.finish()
  }

  private static func name(_ name: String, page: Int) -> String {
    page == 1 ? "\(name).json" : "\(name)-\(page).json"
  }

  /// Writes the answer of an endpoint, one file per page; an answer of not found is left out.
  private func add(_ document: ArchivedAnswer, to archive: inout ArchiveWriter) async throws {
    var cursor: String?
    var page = 1
    repeat {
      let query = "limit=\(Self.pageMax)" + (cursor.map { "&cursor=\($0)" } ?? "")
      let response: Response
      do throws(ApplicationError) { response = try await answer(document, query) } catch {
        guard error.reason == .notFound else { throw error }
        return
      }
      guard case .bytes(let bytes) = response.body else {
        throw ApplicationError.internalError(because: "An answer of the archive is a stream.")
      }
      cursor = try JSONReader.read(PageEnd.self, from: bytes, limits: Self.pageLimits).next
      try await archive.add(Self.name(document.name, page: page), bytes)
      page += 1
    } while cursor != nil
  }

  private func addSessions(to archive: inout ArchiveWriter) async throws {
    var before = Int64.max
    var page = 1
    while true {
      let rows = try await database.rows(
        SessionsOfAccount(account: identity.account, before: before, limit: Self.pageMax))
      var writer = JSONWriter()
      writer.object { writer in
        writer.array("sessions") { writer in for row in rows { row.write(to: &writer) } }
      }
      try await archive.add(
        Self.name(ArchiveContents.sessions.name, page: page), writer.bytes)
      guard rows.count == Self.pageMax, let last = rows.last else { return }
      before = last.change
      page += 1
    }
  }

  private func addImports(to archive: inout ArchiveWriter) async throws {
    let sealingKey = try await accountKeys.key(of: identity.account)
    var after = UniversalID(high: 0, low: 0)
    var page = 1
    while true {
      let rows = try await database.rows(
        ImportsOfAccount(account: identity.account, after: after, limit: Self.pageMax))
      var writer = JSONWriter()
      try writer.object { (writer) throws(ApplicationError) in
        try writer.array("imports") { (writer) throws(ApplicationError) in
          for row in rows {
            let report = try ImportReport(
              sealed: row.report, ImportKey(account: identity.account, id: row.id),
              with: sealingKey)
            row.write(report, to: &writer)
          }
        }
      }
      try await archive.add(Self.name(ArchiveContents.imports.name, page: page), writer.bytes)
      guard rows.count == Self.pageMax, let last = rows.last else { return }
      after = last.id
      page += 1
    }
  }

  // MARK: Samples

  private func addSamples(at time: Instant, to archive: inout ArchiveWriter) async throws {
    let last = try await samples.lastSequence(of: identity.account)
    guard last > 0 else { return }
    for type in DataType.allCases {
      try await add(
        CSVDownload(), "samples/\(type.name).csv", of: DataTypeSet([type]), upTo: last,
        to: &archive)
    }
    let id = UniversalID.random()
    try await add(
      FHIRDownload(DataRequestID(high: id.high, low: id.low), at: time),
      "samples/samples.fhir.json", of: .all, upTo: last, to: &archive)
    try await addTrack(to: &archive)
  }

  /// Writes samples in the order of their numbers; no file if there are none.
  private func add(
    _ form: some SampleFile, _ name: String, of types: DataTypeSet, upTo last: Int64,
    to archive: inout ArchiveWriter
  ) async throws {
    var form = form
    var reader = try await samples.reader(
      SampleSelection(account: identity.account, sequences: 1...last, types: types))
    var isBegun = false
    while let page = try await reader.next() {
      let delivered = page.map { DeliveredSample(number: $0.sample.sequence, $0) }
      if !isBegun { try await begin(form, name, in: &archive) }
      isBegun = true
      try await write(delivered, as: &form, to: &archive)
    }
    if isBegun { try await end(&form, in: &archive) }
  }

  /// Writes the positions in the order of their times.
  private func addTrack(to archive: inout ArchiveWriter) async throws {
    let reader = SeriesReader(
      account: identity.account, type: .position, database: database,
      sealingKey: try await accountKeys.key(of: identity.account),
      zone: zone)
    var form = GPXFile()
    var cursor: SeriesCursor?
    var isBegun = false
    repeat {
      let (page, next) = try await reader.rawPage(
        SamplePeriod(from: .firstWritable, to: nil), after: cursor)
      guard !page.isEmpty else { break }
      if !isBegun { try await begin(form, "samples/positions.gpx", in: &archive) }
      isBegun = true
      let positions = page.map { NumberedSample(type: .position, sample: $0) }
      try await write(
        positions.map { DeliveredSample(number: $0.sample.sequence, $0) }, as: &form,
        to: &archive)
      cursor = next
    } while cursor != nil
    if isBegun { try await end(&form, in: &archive) }
  }

  private func begin(
    _ form: some SampleFile, _ name: String, in archive: inout ArchiveWriter
  ) async throws {
    var form = form
    var bytes: [UInt8] = []
    form.begin(&bytes)
    try await archive.begin(name)
    try await archive.write(bytes)
  }

  private func write(
    _ samples: [DeliveredSample], as form: inout some SampleFile, to archive: inout ArchiveWriter
  ) async throws {
    var rest = samples[...]
    while !rest.isEmpty {
      var bytes: [UInt8] = []
      form.add(Array(rest.prefix(Self.stepMax)), to: &bytes)
      rest = rest.dropFirst(Self.stepMax)
      try await archive.write(bytes)
      await database.loop.nextTurn()
    }
  }

  private func end(
    _ form: inout some SampleFile, in archive: inout ArchiveWriter
  ) async throws {
    var bytes: [UInt8] = []
    form.end(&bytes)
    try await archive.write(bytes)
    try await archive.endFile()
  }
}

/// The cursor of the next page in a list's answer.
private struct PageEnd: JSONReadable {
  private(set) var next: String?

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "next": next = try reader.string()
      default: break
      }
    }
  }
}

extension SessionsOfAccount.Row {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("bearer", bearer == 1 ? "login" : bearer == 2 ? "program" : "device")
      $0.fieldIfPresent("deviceID", device?.description)
      $0.field("startedAt", startedAt.description)
      $0.field("lastUsedAt", lastUsedAt.description)
      $0.field("expiresAt", expiresAt.description)
      $0.field("endedAt", endedAt?.description)
    }
  }
}

extension ImportsOfAccount.Row {
  fileprivate func write(_ report: ImportReport, to writer: inout JSONWriter) {
    writer.object {
      $0.field("importID", id.description)
      $0.field("state", state.name)
      $0.field("startedAt", startedAt.description)
      $0.field("bytesRead", bytesRead)
      $0.field("bytesTotal", bytesTotal)
      report.writeFields(to: &$0)
    }
  }
}
