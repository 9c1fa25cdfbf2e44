import HTTP
import Web

/// The callers that an endpoint accepts, and its error for all others.
package enum Caller: Sendable, Equatable {
  /// No token is needed.
  case anyone
  /// Either kind of account.
  case account(otherwise: ErrorAnswer)
  /// A single user.
  case singleUser(otherwise: ErrorAnswer)
  /// A third party.
  case thirdParty(otherwise: ErrorAnswer)

  /// The error for a missing or invalid token, or for a token of the wrong kind of account; nil if
  /// no token is needed.
  package var refusal: ErrorAnswer? {
    switch self {
    case .anyone: nil
    case .account(let answer), .singleUser(let answer), .thirdParty(let answer): answer
    }
  }

  /// The accepted callers as a sentence.
  package var admitted: String {
    switch self {
    case .anyone: "No token is needed."
    case .account: "For both kinds of account."
    case .singleUser: "For single users."
    case .thirdParty: "For third parties."
    }
  }
}

/// A documented error of an endpoint.
package struct ErrorAnswer: Sendable, Equatable {
  /// The response status.
  package let status: HTTPStatus
  /// The contract's text in the member `error`.
  package let error: String
  /// When the error is sent, for the documentation.
  package let meaning: String

  /// Creates an error from status, text and meaning.
  package init(_ status: HTTPStatus, _ error: String, _ meaning: String) {
    self.status = status
    self.error = error
    self.meaning = meaning
  }

  /// The error as a response, by default with its meaning as `detail`; every 401 carries
  /// `WWW-Authenticate`.
  package func problem(_ detail: String? = nil) -> Problem {
    if status == .unauthorized { return .wrongToken(error, detail: detail ?? meaning) }
    return Problem(status, error, detail: detail ?? meaning)
  }

  /// 401 `Wrong token`, used if the design document names no other error.
  package static let wrongToken = ErrorAnswer(
    .unauthorized, "Wrong token", "The token is missing, wrong or of the wrong kind of account.")

  /// 403 for a call that a browser makes from a page of another site.
  package static let wrongOrigin = ErrorAnswer(
    .forbidden, "Wrong origin", "A page of another site made this call with the session's cookie.")

  /// 403 with the design document's text for a wrong token.
  package static func forbidden(_ error: String) -> ErrorAnswer {
    ErrorAnswer(.forbidden, error, "The token is missing, wrong or of the wrong kind of account.")
  }
}
