import Operations

/// An error as a client sees it (RFC 9457), and the only place where an error has a status.
///
/// The texts are fixed by the API contract. Everything except `cause` is sent to the client, so it
/// must not contain secrets, data of other people or internal causes.
package struct Problem: Error, Sendable, Equatable {
  /// The status of the response.
  package var status: HTTPStatus
  /// The contract's text for the error, such as `Malformed request`; the member `error`.
  package var error: String
  /// An explanation for people, with the remedy if there is one; the member `detail`.
  package var detail: String
  /// The path of the invalid field, such as `values[999]`; the member `field`.
  package var field: String?
  /// Additional header fields of the response, such as `Retry-After`.
  package var fields: HTTPFields
  /// The cause of a 5xx, for the log and never for the client; contains no personal data.
  package var cause: String?

  /// An error with the contract's text for it.
  package init(
    _ status: HTTPStatus, _ error: String, detail: String, field: String? = nil,
    fields: HTTPFields = HTTPFields()
  ) {
    self.status = status
    self.error = error
    self.detail = detail
    self.field = field
    self.fields = fields
  }
}

extension Problem {
  /// 400: the request can't be parsed, or a field is missing, mistyped or out of range.
  package static func malformed(_ detail: String, field: String? = nil) -> Problem {
    Problem(.badRequest, "Malformed request", detail: detail, field: field)
  }

  /// 401 with `WWW-Authenticate`; `error` is the endpoint's own text if it has one.
  package static func wrongToken(
    _ error: String = "Wrong token",
    detail: String = "The token is missing, wrong or no longer valid."
  ) -> Problem {
    var problem = Problem(.unauthorized, error, detail: detail)
    problem.fields.append(.wwwAuthenticate, "Bearer")
    return problem
  }

  /// 404: the path or an identifier is unknown, or the identifier belongs to another account.
  package static let notFound = notFound("It does not exist, or it belongs to another account.")

  /// 404 with a detail, for resources that can be created.
  package static func notFound(_ detail: String) -> Problem {
    Problem(.notFound, "Not found", detail: detail)
  }

  /// 405 with the methods that the path supports.
  package static func methodNotAllowed(allow: String) -> Problem {
    var problem = Problem(
      .methodNotAllowed, "Method not allowed", detail: "This path supports \(allow).")
    problem.fields.append(.allow, allow)
    return problem
  }

  /// 408: the client took too long to send its request.
  package static let requestTimedOut = Problem(
    .requestTimeout, "Timed out",
    detail: "The request did not arrive completely in time: send it again.")

  /// 413: the body exceeds its limit.
  package static func tooLarge(
    _ detail: String = "The body is larger than this endpoint accepts."
  ) -> Problem {
    Problem(.contentTooLarge, "Too large", detail: detail)
  }

  /// 415: the endpoint does not accept the body's media type.
  package static func wrongMediaType(
    _ detail: String = "This endpoint does not accept the media type of the body."
  ) -> Problem {
    Problem(.unsupportedMediaType, "Wrong media type", detail: detail)
  }

  /// 429 with the seconds to wait.
  package static func tooManyRequests(
    _ reason: String = "There were too many such requests", retryAfter seconds: Int
  ) -> Problem {
    var problem = Problem(
      .tooManyRequests, "Too many requests", detail: "\(reason): try again in \(seconds) s.")
    problem.fields.append(.retryAfter, seconds)
    return problem
  }

  /// 500: an internal fault; the client receives only the request identifier.
  package static let internalError = Problem(
    .internalError, "Internal error",
    detail: "TrackMe failed. The operator finds the cause in the log by this requestID.")

  /// 500 with its cause for the log.
  package static func internalError(_ cause: some LogSafe & Error) -> Problem {
    var problem = internalError
    problem.cause = cause.logText
    return problem
  }

  /// 502: a service's response is not valid HTTP or is incomplete.
  package static let badGateway = Problem(
    .badGateway, "Bad gateway",
    detail: "A service broke off its response, and may have done what the request asks for.")

  /// 503 with the seconds to wait: no service is running, or the database is unavailable. The log
  /// has the cause.
  package static func unavailable(
    retryAfter seconds: Int = 1, because cause: String? = nil
  ) -> Problem {
    var problem = Problem(
      .unavailable, "Unavailable",
      detail: "A part of TrackMe is unavailable: try again in \(seconds) s.")
    problem.cause = cause
    problem.fields.append(.retryAfter, seconds)
    return problem
  }

  /// 504: a service did not answer in time.
  package static let gatewayTimedOut = Problem(
    .gatewayTimeout, "Timed out",
    detail: "A service did not answer in time, and may still do what the request asks for.")
}
