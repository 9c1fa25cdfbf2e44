import HTTP
import InternalAPI
import PublicAPI
import ServiceKit
import Web

/// Track4Run's answers to an account about its own data, for the archive (ACC-11).
struct Track4RunAnswers: Sendable {
  private let track4run: InternalClient

  /// The answers of these replicas.
  init(_ track4run: InternalClient) { self.track4run = track4run }

  /// A route for each answer, only for the archive.
  var routes: [Route] {
    [Endpoint.listJoinedRuns, .listOwnRuns].map { endpoint in
      Route.inner(endpoint.method, endpoint.path) {
        [track4run] (request) throws(ApplicationError) in
        guard let caller = Identity(request.head.fields) else { throw .unauthenticated() }
        let target = String(decoding: request.head.target, as: UTF8.self)
        let answer = try await track4run.following(request).get(target, for: caller)
        guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
        return .json(answer.body)
      }
    }
  }
}
