/// The three-digit status of a response (RFC 9110, section 15).
package struct HTTPStatus: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number, 100 to 999.
  package let code: UInt16

  /// A status from its number; a number outside 100 to 999 becomes 500.
  package init(_ code: Int) {
    self.code = (100...999).contains(code) ? UInt16(code) : 500
  }

  package init(integerLiteral value: Int) { self.init(value) }

  /// The statuses used here, by their names in RFC 9110.
  package static let `continue` = HTTPStatus(100)
  package static let ok = HTTPStatus(200)
  package static let created = HTTPStatus(201)
  package static let accepted = HTTPStatus(202)
  package static let noContent = HTTPStatus(204)
  package static let notModified = HTTPStatus(304)
  package static let permanentRedirect = HTTPStatus(308)
  package static let badRequest = HTTPStatus(400)
  package static let unauthorized = HTTPStatus(401)
  package static let paymentRequired = HTTPStatus(402)
  package static let forbidden = HTTPStatus(403)
  package static let notFound = HTTPStatus(404)
  package static let methodNotAllowed = HTTPStatus(405)
  package static let requestTimeout = HTTPStatus(408)
  package static let conflict = HTTPStatus(409)
  package static let contentTooLarge = HTTPStatus(413)
  package static let targetTooLong = HTTPStatus(414)
  package static let unsupportedMediaType = HTTPStatus(415)
  package static let expectationFailed = HTTPStatus(417)
  package static let unprocessable = HTTPStatus(422)
  package static let tooManyRequests = HTTPStatus(429)
  package static let fieldsTooLarge = HTTPStatus(431)
  package static let internalError = HTTPStatus(500)
  package static let badGateway = HTTPStatus(502)
  package static let unavailable = HTTPStatus(503)
  package static let gatewayTimeout = HTTPStatus(504)
  package static let versionNotSupported = HTTPStatus(505)

  /// Whether this is 1xx: another response to the same request follows.
  package var isInformational: Bool { code < 200 }

  /// Whether a response of this status never has a body, whatever its fields say (RFC 9112, 6.3).
  package var hasNoBody: Bool { code < 200 || code == 204 || code == 304 }

  /// The registered reason phrase, or that of the class if the status is not registered.
  package var reason: String { reasonText.description }

  /// The registered reason phrase, or that of the class.
  var reasonText: StaticString {
    Self.reason(code) ?? Self.reason(code / 100 * 100) ?? "Unknown"
  }

  private static func reason(_ code: UInt16) -> StaticString? {
    switch code {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 300: "Multiple Choices"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 402: "Payment Required"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: nil
    }
  }
}
