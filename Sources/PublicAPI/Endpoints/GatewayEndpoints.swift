import HTTP
import JSON

extension Endpoint {
  /// What the gateway answers itself.
  static let gateway: [Endpoint] = [.home, .health, .ready, .openAPI, .documentation]

  /// Where the links of mails and of the greeting lead, as long as there is no page for people.
  package static let home = Endpoint.get(
    "/", "home", at: .gateway, for: .anyone, "Where one arrives: the API as a page to read.",
    answers: [.other("text/html", "The page."), .notModified])

  /// Is the gateway up.
  package static let health = Endpoint.get(
    "/health", "health", at: .gateway, for: .anyone, "Whether the gateway is up.",
    answers: [.json(.object([.required("status", .oneOf(["up"]))]))])

  /// Can it serve.
  package static let ready = Endpoint.get(
    "/ready", "ready", at: .gateway, for: .anyone,
    "Whether the gateway can serve: it knows the sessions and a replica of each service is up.",
    answers: [.json(.object([.required("status", .oneOf(["ready"]))]))],
    errors: [ErrorAnswer(.unavailable, "Unavailable", "Not yet, or not any more.")])

  /// This document.
  package static let openAPI = Endpoint.get(
    "/openapi.json", "openAPI", at: .gateway, for: .anyone, "The API as OpenAPI 3.1.",
    answers: [.json(.object([.required("openapi", .text)])), .notModified])

  /// The same for a person.
  package static let documentation = Endpoint.get(
    "/docs", "documentation", at: .gateway, for: .anyone, "The API as a page to read.",
    answers: [.other("text/html", "The page."), .notModified])
}
