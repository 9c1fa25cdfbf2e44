import Accounts
import HTTP
import InternalAPI
import JSON
import ServiceKit
import Sharing
import Web

/// The internal API of Data4Help for Track4Run (`InternalPath`). One per loop.
///
/// No account calls it: `Service.inner` checks before routing that the caller is another process of
/// the product, and the gateway's table has none of these paths.
package struct InternalRoutes: Sendable {
  private let sending: SendCheckInRequests
  private let withdrawing: CheckInWithdrawing
  private let people: PeopleDirectory
  private let names: PeopleByName
  private let notices: RunNotices
  private let readiness: RunReadiness
  private let downloads: RunDownloadRecording
  private let identities: RunnerIdentities

  /// Routes of one loop; mails come from the sender of `settings`.
  package init(
    _ dependencies: SharingDependencies, directory: AccountDirectory,
    settings: AuthenticationSettings
  ) {
    sending = SendCheckInRequests(
      environment: dependencies.environment, database: dependencies.database,
      notices: dependencies.notices)
    withdrawing = CheckInWithdrawing(
      environment: dependencies.environment, database: dependencies.database,
      notices: dependencies.notices,
      events: dependencies.events)
    people = PeopleDirectory(
      database: dependencies.database, accountKeys: dependencies.accountKeys, log: dependencies.log,
      directory: directory)
    names = PeopleByName(
      database: dependencies.database, accountKeys: dependencies.accountKeys,
      root: dependencies.root, log: dependencies.log)
    readiness = RunReadiness(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, zone: dependencies.zone)
    downloads = RunDownloadRecording(
      environment: dependencies.environment, database: dependencies.database,
      root: dependencies.root)
    identities = RunnerIdentities(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, root: dependencies.root, log: dependencies.log)
    notices = RunNotices(dependencies: dependencies, settings: settings)
  }

  /// The rows of the route table.
  package var all: [Route] {
    [
      Route.inner(.post, InternalPath.requests, handler: send),
      Route.inner(.post, InternalPath.ends, handler: withdraw),
      Route.inner(.post, InternalPath.people) { (request) throws(ApplicationError) in
        .json(of: try await people.people(try request.payload()))
      },
      Route.inner(.post, InternalPath.find) { (request) throws(ApplicationError) in
        .json(of: try await people.find(try request.payload()))
      },
      Route.inner(.post, InternalPath.names) { (request) throws(ApplicationError) in
        .json(of: try await names.find(try request.payload()))
      },
      Route.inner(.post, InternalPath.companies) { (request) throws(ApplicationError) in
        .json(of: try await people.company(try request.payload()))
      },
      Route.inner(.post, InternalPath.warnings) { (request) throws(ApplicationError) in
        .json(of: try await readiness.warnings(try request.payload()))
      },
      Route.inner(.post, InternalPath.runners) { (request) throws(ApplicationError) in
        .json(of: try await identities.runners(try request.payload()))
      },
      Route.inner(.post, InternalPath.downloads) { (request) throws(ApplicationError) in
        .json(of: try await downloads.record(try request.payload()))
      },
      Route.inner(.post, InternalPath.notices, handler: notices.notify),
      Route.inner(.post, InternalPath.mails, handler: notices.mail),
    ]
  }

  private func send(_ request: Request) async throws(ApplicationError) -> Response {
    .json(of: try await sending.send(try request.payload(CheckInBatch.self)))
  }

  private func withdraw(_ request: Request) async throws(ApplicationError) -> Response {
    try await withdrawing.withdraw(try request.payload(CheckInEnds.self))
    return .message("Action successful")
  }
}
