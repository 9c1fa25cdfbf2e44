import HTTP

/// Who may call an endpoint, and what everybody else is told.
package enum Caller: Sendable, Equatable {
  /// Nobody needs a token.
  case anyone
  /// Either kind of account.
  case account(otherwise: ErrorAnswer)
  /// A single user.
  case singleUser(otherwise: ErrorAnswer)
  /// A third party.
  case thirdParty(otherwise: ErrorAnswer)

  /// The answer to a missing or wrong token, or to one of the wrong kind of account; nil where
  /// nobody needs one.
  package var refusal: ErrorAnswer? {
    switch self {
    case .anyone: nil
    case .account(let answer), .singleUser(let answer), .thirdParty(let answer): answer
    }
  }

  /// Who may call, as a sentence.
  package var admitted: String {
    switch self {
    case .anyone: "No token is needed."
    case .account: "For either kind of account."
    case .singleUser: "For single users."
    case .thirdParty: "For third parties."
    }
  }
}

/// An error an endpoint documents.
package struct ErrorAnswer: Sendable, Equatable {
  /// Its status.
  package let status: HTTPStatus
  /// The contract's text, the member `error`.
  package let error: String
  /// When it is given, for the documentation.
  package let meaning: String

  /// An error with its status, text and meaning.
  package init(_ status: HTTPStatus, _ error: String, _ meaning: String) {
    self.status = status
    self.error = error
    self.meaning = meaning
  }

  /// The error as a response; every 401 carries `WWW-Authenticate`.
  package func problem(_ detail: String? = nil) -> Problem {
    if status == .unauthorized { return .wrongToken(error, detail: detail) }
    return Problem(status, error, detail: detail)
  }

  /// 401 `Wrong token`, where the design document names nothing else.
  package static let wrongToken = ErrorAnswer(
    .unauthorized, "Wrong token", "The token is missing, wrong or of the wrong kind of account.")

  /// 403 with the design document's text for a wrong token.
  package static func forbidden(_ error: String) -> ErrorAnswer {
    ErrorAnswer(.forbidden, error, "The token is missing, wrong or of the wrong kind of account.")
  }
}
