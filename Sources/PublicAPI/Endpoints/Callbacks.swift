import HTTP
import JSON

extension Endpoint {
  /// A third party's callback (REQ-2).
  static let callbacks: [Endpoint] = [
    .readCallback, .storeCallback, .rotateCallbackSecret, .deleteCallback, .testCallback,
    .resendCallback, .callbackLog,
  ]

  private static let noCallback = ErrorAnswer(
    .notFound, "Not found", "No callback is registered.")

  /// How the callback stands.
  package static let readCallback = Endpoint.get(
    "/req/tp/callback", "readCallback", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Where one is called, and how far one's endpoint has acknowledged.",
    answers: [
      .json(
        .object([
          .required("url", .text), .required("active", .boolean),
          .optional("reason", .text, "Why it is no longer called."),
          .required("acknowledged", .count, "The last number of the sequence that was taken."),
          .required("failedAttempts", .count, "In vain, since then."),
          .optional("nextAttemptAt", .dateTime),
          .optional("previousUntil", .dateTime, "Until when the secret before signs too."),
        ]))
    ], errors: [noCallback])

  /// Registers an endpoint that answers a challenge.
  package static let storeCallback = Endpoint.post(
    "/req/tp/callback", "storeCallback", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Registers where to be called, in place of the address before. A signed challenge is sent "
      + "there first, and must be answered 200 with it. By login only: an API key is refused.",
    body: .json(.object([.required("url", .string(lengthMax: 500), "https.")])),
    answers: [
      .json(
        .object([
          .required("secret", .text, "Signs every call (Standard Webhooks); shown this once.")
        ]))
    ], rate: .guarded, answerIsSecret: true
  ).forPeopleOnly()

  /// A new secret, beside which the one before stays valid for a while.
  package static let rotateCallbackSecret = Endpoint.post(
    "/req/tp/callback/secret", "rotateCallbackSecret", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Puts a new secret in place of the one before. Until the overlap is over, calls carry a "
      + "signature by each of the two in `webhook-signature`. By login only: no API key may.",
    body: .json(
      .object([
        .optional(
          "overlap", .integer(0...604_800),
          "Seconds for which the secret before stays valid; a day if left out, 0 ends it now.")
      ])),
    answers: [
      .json(
        .object([
          .required("secret", .text, "Signs every call from now on; shown this once."),
          .optional("previousUntil", .dateTime, "Until when the secret before signs too."),
        ]))
    ], errors: [noCallback], rate: .guarded, answerIsSecret: true
  ).forPeopleOnly()

  /// Is called no more.
  package static let deleteCallback = Endpoint.delete(
    "/req/tp/callback", "deleteCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Forgets where one is called. By login only: an API key is refused.",
    answers: [.message("Action successful")]
  ).forPeopleOnly()

  /// Tries the endpoint.
  package static let testCallback = Endpoint.post(
    "/req/tp/callback/test", "testCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Calls one's endpoint with `endpoint.test`, once, and says what became of it.", body: .none,
    answers: [
      .json(
        .object([
          .required("delivered", .boolean), .optional("status", .count, "Its answer, if any."),
          .optional("error", .text),
        ]))
    ], errors: [noCallback], rate: .guarded
  ).withoutKey()

  /// Has events again.
  package static let resendCallback = Endpoint.post(
    "/req/tp/callback/resend", "resendCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Goes back in the sequence: what follows the number is sent again, under the same ids; what "
      + "was switched off is called again.",
    body: .json(.object([.required("since", .integer(minimum: 0))])),
    answers: [
      .message("Action successful", and: [.required("acknowledged", .count, "Where it goes on.")])
    ], errors: [noCallback])

  /// The log of calls.
  package static let callbackLog = Endpoint.get(
    "/req/tp/callback/log", "callbackLog", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "The calls of the last 30 days, newest first.", query: QueryParameter.paging,
    answers: [
      .json(
        .object([
          .required(
            "calls",
            .array(
              of: .object([
                .required("id", .text, "The `webhook-id`, or `test`."),
                .required("time", .dateTime), .required("delivered", .boolean),
                .required("status", .anyOf([.count, .null])),
                .required("error", .anyOf([.text, .null])),
                .required("nextAttemptAt", .anyOf([.dateTime, .null])),
              ]))),
          .optional("next", .text, "There is more: pass it as `cursor`."),
        ]))
    ])
}
