import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The endpoints of imports (DAT-6): a client streams a file and polls its progress.
package struct ImportRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let effects: IdempotentEffects
  private let worker: WakeUpSignal

  /// Routes that signal when an import can be merged.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys,
    effects: IdempotentEffects,
    log: Log, wakeUp: WakeUpSignal
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.effects = effects
    self.log = log
    worker = wakeUp
  }

  /// The rows of the route table.
  package var routes: [Route] {
    [
      EndpointRoutes().identified(.startImport, start),
      EndpointRoutes().identified(.readImport, read),
    ]
  }

  @Sendable private func start(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard case .stream(let body) = request.body else {
      throw .invalid("The body is the export's file.")
    }
    guard let format = request.query["format"].flatMap({ ImportFormat(rawValue: $0) }) else {
      throw .invalid("Name the program that wrote the file.", field: "format")
    }
    let claim = try effects.claim(of: request, for: caller.account)
    let file = ImportFile(body, format, isHashed: claim != nil)
    try await file.begin()
    let sealingKey = try await accountKeys.key(of: caller.account)
    let now = environment.now()
    let key = ImportKey(
      account: caller.account, id: .ordered(millisecondsSince1970: now.millisecondsSince1970))
    let opening = OpenImport(
      account: key.account, id: key.id, now: now,
      bytesTotal: request.head.contentLength.map(Int64.init(clamping:)),
      report: ImportReport().sealed(key, with: sealingKey))
    if let kept = try await open(opening, unless: claim) {
      while try await file.next() != nil {}
      return try kept.answer(to: file.digest())
    }
    var receiving = ImportReceiving(
      key, format, file, environment: environment, database: database, log: log, sealingKey,
      keeping: claim)
    let response = try await receiving.receive()
    worker.signal()
    return response
  }

  /// Opens an import, unless its response was kept already. An account has at most one import in
  /// progress: once it is open, no other under the same key can be.
  ///
  /// - Throws: `conflict` if another import is in progress, possibly the first under this key.
  private func open(
    _ opening: OpenImport, unless claim: IdempotencyClaim?
  ) async throws(ApplicationError) -> SealedResponse? {
    let lost = SweepLostImport(
      account: opening.account, lostBefore: opening.now + (.zero - ImportReceiving.lostAfter))
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let (_, opened) = try await transaction.run(lost, opening)
      if let kept = try await claim?.kept(in: transaction) {
        try await transaction.run(RemoveImport(account: opening.account, id: opening.id))
        return kept
      }
      guard !opened.isEmpty else {
        throw .conflict("Another import of this account is in progress; wait until it is done.")
      }
      return nil
    }
  }

  @Sendable private func read(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let text = request.query["importID"], let id = UniversalID(text) else {
      throw .invalid(
        "Use the `importID` of the response that started the import.", field: "importID")
    }
    let key = ImportKey(account: caller.account, id: id)
    let statement = ImportOfAccount(account: caller.account, id: id)
    guard let row = try await database.row(statement) else { throw .notFound }
    let sealingKey = try await accountKeys.key(of: caller.account)
    let report = try ImportReport(sealed: row.report, key, with: sealingKey)
    return .json { writer in
      writer.field("importID", id.description)
      writer.field("state", row.state.name)
      writer.field("bytesRead", row.bytesRead)
      writer.field("bytesTotal", row.bytesTotal)
      report.writeFields(to: &writer)
    }
  }
}

extension ImportState {
  /// The API's name.
  package var name: String {
    switch self {
    case .receiving, .merging: "running"
    case .done: "done"
    case .failed: "failed"
    }
  }
}
