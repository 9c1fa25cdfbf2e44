import Accounts
import Domain
import EventLoop
import HTTP
import HealthRecords
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Exports everything that the system stores about an account, as one archive (ACC-11).
package struct ExportRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let zone: TimeZoneRules
  private let samples: SampleStore
  private let answers: [Route]
  private let slots: ExportSlots
  private let finished: Counter

  /// Routes whose archive contains the answers of these others.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys, zone: TimeZoneRules,
    metrics: Metrics, samples: SampleStore, answers: [Route], slots: ExportSlots
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.zone = zone
    self.samples = samples
    self.answers = answers
    self.slots = slots
    finished = metrics.counter(
      "trackme_data4help_exports_total", "Archives of an account that were written to the end.")
  }

  /// The rows of the route table.
  package var all: [Route] { [EndpointRoutes().identified(.export, export)] }

  /// Begins the archive; the rest is written as fast as the client receives it.
  ///
  /// - Throws: `rateLimited` while another archive of the account, or too many of others, are in
  ///   progress.
  private func export(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    guard let slot = slots.take(for: identity.account) else {
      throw .rateLimited(retryAfter: 30)
    }
    // Throws `unavailable` while the status can still be sent.
    _ = try await accountKeys.key(of: identity.account)
    let archive = PersonalArchive(
      environment: environment, database: database, accountKeys: accountKeys, zone: zone,
      samples: samples,
      answer: { (document, query) throws(ApplicationError) in
        try await answer(document, query, to: request)
      }, identity: identity)
    let time = environment.now().flooredToMilliseconds
    var response = Response.stream(contentType: "application/zip") { [finished] body in
      defer { slot.release() }
      body.demand(bytesPerSecond: ArchiveWriter.bytesPerSecondMin, over: .seconds(60))
      try await archive.write(to: body, at: time)
      finished.increment()
    }
    let day = zone.day(of: time)
    response.fields.append(
      "content-disposition", "attachment; filename=\"trackme-\(day).zip\"")
    return response.notStored()
  }

  /// The answer of a file's endpoint to the caller of this request.
  private func answer(
    _ document: ArchivedAnswer, _ query: String, to request: Request
  ) async throws(ApplicationError) -> Response {
    let endpoint = document.endpoint
    guard
      let route = answers.first(where: {
        $0.method == endpoint.method && $0.pattern == endpoint.path
      })
    else { throw .internalError(because: "An answer of the archive has no route.") }
    let target = Array("\(endpoint.path)?\(query)".utf8)
    var asked = request
    asked.head.setTarget(target)
    do throws(Query.Failure) { asked.query = try Query(decoding: Array(query.utf8)[...]) } catch {
      throw .internalError(because: "A query of the archive can't be read.")
    }
    do throws(Problem) { return try await route.handler(asked) } catch {
      switch error.status {
      case .notFound: throw .notFound
      case .unavailable: throw .unavailable()
      default: throw ApplicationError(.internalError, cause: error.cause ?? error.error)
      }
    }
  }
}
