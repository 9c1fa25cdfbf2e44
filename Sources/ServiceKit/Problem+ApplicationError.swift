import HTTP
import Web

extension Problem {
  /// The HTTP response to an error of the application: the only place that assigns it a status.
  package init(_ error: ApplicationError) {
    let (status, summary) = Self.answer(to: error.reason)
    self.init(status, error.summary ?? summary, detail: error.detail, field: error.field)
    if error.reason == .unauthenticated { fields.append(.wwwAuthenticate, "Bearer") }
    if let seconds = error.retryAfter { fields.append(.retryAfter, seconds) }
    cause = error.cause
  }

  /// The status and the contract's text of a kind of failure.
  private static func answer(
    to reason: ApplicationError.Reason
  ) -> (status: HTTPStatus, summary: String) {
    switch reason {
    case .invalid: (.badRequest, "Malformed request")
    case .unauthenticated: (.unauthorized, "Wrong token")
    case .forbidden: (.forbidden, "Wrong parameters")
    case .paymentDue: (.paymentRequired, "Payment due")
    case .notFound: (.notFound, "Not found")
    case .conflict: (.conflict, "Wrong state")
    case .timedOut: (.requestTimeout, "Timed out")
    case .tooLarge: (.contentTooLarge, "Too large")
    case .unsupportedFormat: (.unsupportedMediaType, "Wrong media type")
    case .keyReused: (.unprocessable, "Key reused")
    case .rateLimited: (.tooManyRequests, "Too many requests")
    case .upstreamFailed: (.badGateway, "Bad gateway")
    case .unavailable: (.unavailable, "Unavailable")
    case .internalError: (.internalError, "Internal error")
    }
  }
}

/// Runs a handler of the application and throws its error as a `Problem`.
package func answering<Value>(
  _ handler: () async throws(ApplicationError) -> Value
) async throws(Problem) -> Value {
  do throws(ApplicationError) { return try await handler() } catch { throw Problem(error) }
}
