import JSON

/// Problems as `application/problem+json` (RFC 9457).
enum ProblemDocument {
  static let mediaType = "application/problem+json"
}
