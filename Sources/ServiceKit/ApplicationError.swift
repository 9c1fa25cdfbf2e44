import Operations

/// Why the application refused an operation, or failed at it.
///
/// Stores, workers and routes throw it. It knows no protocol: `Problem(_:)` is the only place that
/// maps it to a status. `summary`, `detail` and `field` are sent to the client, so they contain no
/// secret, no data of other people and no internal cause.
package struct ApplicationError: Error, Sendable, Equatable {
  /// The kind of failure.
  package enum Reason: String, Sendable, Hashable {
    /// The input can't be read, or a field is missing, mistyped or out of range.
    case invalid = "malformed input"
    /// The token or password is wrong.
    case unauthenticated = "not authenticated"
    /// The caller is authenticated, but lacks the permission.
    case forbidden = "forbidden"
    /// The operation requires a payment first.
    case paymentDue = "payment due"
    /// The identifier is unknown, or belongs to another account.
    case notFound = "not found"
    /// The identifier exists, but is in the wrong state; with `retryAfter` this state ends by
    /// itself.
    case conflict = "wrong state"
    /// The client took too long.
    case timedOut = "timed out"
    /// The input is over its limit.
    case tooLarge = "too large"
    /// The input has another media type than the operation reads.
    case unsupportedFormat = "unsupported format"
    /// An idempotency key or a chosen identifier was used again with a different body.
    case keyReused = "key reused"
    /// The caller sends too many requests; `retryAfter` is set.
    case rateLimited = "rate limited"
    /// Another system returned an unusable response; `cause` is set.
    case upstreamFailed = "bad gateway"
    /// A service or the database can't be reached; `retryAfter` is set.
    case unavailable = "unavailable"
    /// A fault of the product, such as unreadable stored data; `cause` is set.
    case internalError = "internal error"
  }

  /// The kind of failure.
  package var reason: Reason
  /// The contract's text for the error if an endpoint has its own, such as `Already activated`.
  package var summary: String?
  /// The fault and its remedy, for a person.
  package var detail: String?
  /// The path of the offending field, such as `values[999]`.
  package var field: String?
  /// The seconds after which another attempt may succeed.
  package var retryAfter: Int?
  /// The internal cause, for the log and never for the client; without personal data.
  package var cause: String?

  /// An error for a client.
  package init(
    _ reason: Reason, _ summary: String? = nil, detail: String? = nil, field: String? = nil,
    retryAfter: Int? = nil, cause: String? = nil
  ) {
    self.reason = reason
    self.summary = summary
    self.detail = detail
    self.field = field
    self.retryAfter = retryAfter
    self.cause = cause
  }
}

extension ApplicationError: LogSafe {
  /// The cause if it is known, else the kind of failure; never `detail`, which may quote input.
  package var logText: String { cause ?? reason.rawValue }
}

extension ApplicationError {
  /// The input can't be read, or a field is missing, mistyped or out of range.
  package static func invalid(_ detail: String, field: String? = nil) -> Self {
    Self(.invalid, detail: detail, field: field)
  }

  /// The token or password is wrong; `summary` is the endpoint's own text if it has one.
  package static func unauthenticated(
    _ summary: String = "Wrong token", detail: String? = nil
  ) -> Self {
    Self(.unauthenticated, summary, detail: detail)
  }

  /// An identifier that is unknown, or belongs to another account.
  package static let notFound = notFound("It does not exist, or it belongs to another account.")

  /// An unknown identifier, with a specific text such as how to create the resource.
  package static func notFound(_ detail: String) -> Self { Self(.notFound, detail: detail) }

  /// The client took too long to send its request.
  package static let timedOut = Self(.timedOut)

  /// The right identifier in the wrong state.
  package static func conflict(_ detail: String? = nil) -> Self { Self(.conflict, detail: detail) }

  /// The input is over its limit.
  package static func tooLarge(_ detail: String? = nil) -> Self { Self(.tooLarge, detail: detail) }

  /// The input has another media type than the operation reads.
  package static func unsupportedFormat(_ detail: String? = nil) -> Self {
    Self(.unsupportedFormat, detail: detail)
  }

  /// An idempotency key was used again with a different body.
  package static let keyReused = Self(
    .keyReused,
    detail: "This Idempotency-Key was used with a different body: each request needs its own.")

  /// An identifier that the client chose was used again with a different body.
  ///
  /// - Parameter field: the name of the identifier in the body, such as `reqID`.
  package static func identifierReused(_ field: StaticString) -> Self {
    Self(
      .keyReused,
      detail: "This \(field) was used for a request with a different body: choose another.",
      field: "\(field)")
  }

  /// The caller sends too many requests and may try again after `seconds`.
  package static func rateLimited(
    _ reason: String = "There were too many such requests", retryAfter seconds: Int
  ) -> Self {
    Self(
      .rateLimited, detail: "\(reason): try again in \(seconds) s.", retryAfter: seconds)
  }

  /// A service or the database can't be reached.
  package static func unavailable(retryAfter seconds: Int = 1) -> Self {
    Self(.unavailable, retryAfter: seconds)
  }

  /// A service or the database can't be reached, with the cause for the log.
  package static func unavailable(
    retryAfter seconds: Int = 1, _ cause: some LogSafe & Error
  ) -> Self {
    Self(.unavailable, retryAfter: seconds, cause: cause.logText)
  }

  /// A fault of the product; the client learns only the request id.
  package static let internalError = Self(.internalError)

  /// A fault of the product, with its cause for the log.
  package static func internalError(_ cause: some LogSafe & Error) -> Self {
    Self(.internalError, cause: cause.logText)
  }

  /// A fault of the product, with its cause for the log as a sentence.
  package static func internalError(because cause: StaticString) -> Self {
    Self(.internalError, cause: "\(cause)")
  }
}
