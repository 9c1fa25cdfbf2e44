import HTTP
import JSON

extension Endpoint {
  /// The endpoints served by the gateway itself.
  static let gateway: [Endpoint] = [.home, .health, .ready, .openAPI, .documentation]

  /// The start page, target of links in mails and of the greeting.
  package static let home = Endpoint.get(
    "/", "home", at: .gateway, for: .anyone,
    "The start page: the web pages if the client prefers HTML, else the API documentation.",
    answers: [.other("text/html", "The page."), .notModified])

  /// Liveness check.
  package static let health = Endpoint.get(
    "/health", "health", at: .gateway, for: .anyone, "Whether the gateway is up.",
    answers: [.json(.object([.required("status", .oneOf(["up"]))]))])

  /// Readiness check.
  package static let ready = Endpoint.get(
    "/ready", "ready", at: .gateway, for: .anyone,
    "Whether the gateway can serve: it knows the sessions and a replica of each service is up.",
    answers: [.json(.object([.required("status", .oneOf(["ready"]))]))],
    errors: [
      ErrorAnswer(.unavailable, "Unavailable", "The gateway is not ready yet, or is stopping.")
    ])

  /// The OpenAPI document.
  package static let openAPI = Endpoint.get(
    "/openapi.json", "openAPI", at: .gateway, for: .anyone, "The API as OpenAPI 3.1.",
    answers: [.json(.object([.required("openapi", .text)])), .notModified])

  /// The API documentation for a browser.
  package static let documentation = Endpoint.get(
    "/docs", "documentation", at: .gateway, for: .anyone, "The API documentation for a browser.",
    answers: [.other("text/html", "The page."), .notModified])
}
