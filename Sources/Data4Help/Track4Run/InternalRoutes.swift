import HTTP
import JSON
import Services

/// The internal API of Data4Help for Track4Run (`InternalPath`). One per loop.
///
/// No account calls it: `Service.inner` checks before routing that the caller is another process of
/// the product, and the gateway's table has none of these paths.
package struct InternalRoutes: Sendable {
  private let sending: CheckInSending
  private let withdrawing: CheckInWithdrawing
  private let people: PeopleDirectory
  private let names: PeopleByName
  private let notices: RunNotices
  private let readiness: RunReadiness
  private let downloads: RunDownloadRecording
  private let identities: RunnerIdentities

  /// Routes of one loop; mails come from the sender of `settings`.
  package init(
    _ surroundings: Surroundings, directory: AccountDirectory, settings: AuthenticationSettings
  ) {
    sending = CheckInSending(surroundings: surroundings)
    withdrawing = CheckInWithdrawing(surroundings: surroundings)
    people = PeopleDirectory(surroundings: surroundings, directory: directory)
    names = PeopleByName(surroundings)
    readiness = RunReadiness(surroundings: surroundings)
    downloads = RunDownloadRecording(surroundings)
    identities = RunnerIdentities(surroundings)
    notices = RunNotices(surroundings: surroundings, settings: settings)
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
        try await downloads.record(try request.payload())
      },
      Route.inner(.post, InternalPath.notices, handler: notices.tell),
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
