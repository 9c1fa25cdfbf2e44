import HTTP
import Web

extension Problem {
  /// The HTTP response to an error of the application: the only place that assigns it a status.
  package init(_ error: ApplicationError) {
    let (status, summary, detail) = Self.answer(to: error)
    self.init(
      status, error.summary ?? summary, detail: error.detail ?? detail, field: error.field)
    if error.reason == .unauthenticated { fields.append(.wwwAuthenticate, "Bearer") }
    if let seconds = error.retryAfter { fields.append(.retryAfter, seconds) }
    cause = error.cause
  }

  /// The status and the contract's text of a kind of failure, and the usual detail.
  private static func answer(
    to error: ApplicationError
  ) -> (status: HTTPStatus, summary: String, detail: String) {
    switch error.reason {
    case .invalid: (.badRequest, "Malformed request", "The request can't be understood.")
    case .unauthenticated:
      (.unauthorized, "Wrong token", "The token is missing, wrong or no longer valid.")
    case .forbidden:
      (.forbidden, "Wrong parameters", "The caller lacks the permission for this.")
    case .paymentDue: (.paymentRequired, "Payment due", "A payment is due: POST /req/tp/pay.")
    case .notFound: (.notFound, "Not found", "It does not exist.")
    case .conflict:
      (.conflict, "Wrong state", "The state does not permit this, or has just changed.")
    case .timedOut:
      (.requestTimeout, "Timed out", "The request did not arrive in time: send it again.")
    case .tooLarge:
      (.contentTooLarge, "Too large", "The body is larger than this endpoint accepts.")
    case .unsupportedFormat:
      (.unsupportedMediaType, "Wrong media type", "This endpoint does not accept the format.")
    case .keyReused:
      (.unprocessable, "Key reused", "The key was used with a different body: choose another.")
    case .rateLimited:
      (.tooManyRequests, "Too many requests", "There were too many such requests: wait.")
    case .upstreamFailed:
      (.badGateway, "Bad gateway", "Another system gave no usable response: try again later.")
    case .unavailable:
      (
        .unavailable, "Unavailable",
        "A part of TrackMe is unavailable: try again in \(error.retryAfter ?? 1) s."
      )
    case .internalError:
      (
        .internalError, "Internal error",
        "TrackMe failed. The operator finds the cause in the log by this requestID."
      )
    }
  }
}

/// Runs a handler of the application and throws its error as a `Problem`.
package func answering<Value>(
  _ handler: () async throws(ApplicationError) -> Value
) async throws(Problem) -> Value {
  do throws(ApplicationError) { return try await handler() } catch { throw Problem(error) }
}
