import HTTP
import Postgres
import ServiceKit
import Testing

@Suite("Errors of the application as answers")
struct ApplicationErrorTests {
  @Test(
    "each reason has its status, the contract's text and a detail",
    arguments: [
      (.invalid("x", field: "a"), 400, "Malformed request"),
      (.unauthenticated(), 401, "Wrong token"), (ApplicationError(.paymentDue), 402, "Payment due"),
      (ApplicationError(.forbidden), 403, "Wrong parameters"), (.notFound, 404, "Not found"),
      (.timedOut, 408, "Timed out"), (.conflict(), 409, "Wrong state"),
      (.tooLarge(), 413, "Too large"), (.unsupportedFormat(), 415, "Wrong media type"),
      (.keyReused, 422, "Key reused"), (.rateLimited(retryAfter: 3), 429, "Too many requests"),
      (.internalError, 500, "Internal error"),
      (ApplicationError(.upstreamFailed), 502, "Bad gateway"), (.unavailable(), 503, "Unavailable"),
    ] as [(ApplicationError, Int, String)])
  func statuses(error: ApplicationError, status: Int, text: String) {
    let problem = Problem(error)
    #expect((Int(problem.status.code), problem.error) == (status, text))
    #expect((problem.fields[.wwwAuthenticate] != nil) == (status == 401))
    #expect(problem.fields[.retryAfter] == error.retryAfter.map(String.init))
    #expect(problem.field == error.field)
    #expect(!problem.detail.isEmpty)
    if let detail = error.detail { #expect(problem.detail == detail) }
  }

  @Test("an endpoint's own text replaces the usual one")
  func summary() {
    #expect(Problem(.init(.forbidden, "Already activated")).error == "Already activated")
  }

  @Test("the cause reaches the log and not the client")
  func cause() {
    let refusal = PostgresError.server(ServerError(sqlState: "42501", message: "denied"))
    let error = ApplicationError.database(refusal)
    #expect(error.logText.contains("42501"))
    let document = Problem(error).document(requestID: nil)
    #expect(!String(decoding: document, as: UTF8.self).contains("42501"))
  }
}
