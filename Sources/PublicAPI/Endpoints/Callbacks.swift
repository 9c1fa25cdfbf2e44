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

  /// Reads the state of the callback.
  package static let readCallback = Endpoint.get(
    "/req/tp/callback", "readCallback", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "The callback's URL, and the last event that your endpoint has acknowledged.",
    answers: [
      .json(
        .object([
          .required("url", .text), .required("active", .boolean),
          .optional("reason", .text, "Why the callback is disabled."),
          .required("acknowledged", .count, "The last acknowledged number of the sequence."),
          .required("failedAttempts", .count, "In vain, since then."),
          .optional("nextAttemptAt", .dateTime),
          .optional("previousUntil", .dateTime, "Until when the previous secret also signs."),
        ]))
    ], errors: [noCallback])

  /// Registers an endpoint that answers a challenge.
  package static let storeCallback = Endpoint.post(
    "/req/tp/callback", "storeCallback", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Registers the callback URL and replaces the previous one. A signed challenge is sent "
      + "to it first; the endpoint must return the challenge with status 200. Needs a login: "
      + "API keys are refused.",
    body: .json(.object([.required("url", .string(lengthMax: 500), "https.")])),
    answers: [
      .json(
        .object([
          .required("secret", .text, "Signs every call (Standard Webhooks); shown only once.")
        ]))
    ], rate: .guarded, answerIsSecret: true
  ).forPeopleOnly()

  /// Creates a new secret; the previous one stays valid during an overlap.
  package static let rotateCallbackSecret = Endpoint.post(
    "/req/tp/callback/secret", "rotateCallbackSecret", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Replaces the secret. During the overlap, `webhook-signature` carries one signature "
      + "for each of the two secrets. Needs a login: API keys are refused.",
    body: .json(
      .object([
        .optional(
          "overlap", .integer(0...604_800),
          "Seconds for which the previous secret stays valid; by default one day, 0 ends it now.")
      ])),
    answers: [
      .json(
        .object([
          .required("secret", .text, "Signs every call from now on; shown only once."),
          .optional("previousUntil", .dateTime, "Until when the previous secret also signs."),
        ]))
    ], errors: [noCallback], rate: .guarded, answerIsSecret: true
  ).forPeopleOnly()

  /// Removes the callback.
  package static let deleteCallback = Endpoint.delete(
    "/req/tp/callback", "deleteCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Removes the callback. Needs a login: API keys are refused.",
    answers: [.message("Action successful")]
  ).forPeopleOnly()

  /// Calls the endpoint as a test.
  package static let testCallback = Endpoint.post(
    "/req/tp/callback/test", "testCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Calls your endpoint once with `endpoint.test` and returns the result.", body: .none,
    answers: [
      .json(
        .object([
          .required("delivered", .boolean), .optional("status", .count, "Its answer, if any."),
          .optional("error", .text),
        ]))
    ], errors: [noCallback], rate: .guarded
  ).withoutKey()

  /// Sends events again.
  package static let resendCallback = Endpoint.post(
    "/req/tp/callback/resend", "resendCallback", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Goes back in the sequence: events after the number are sent again with the same ids. "
      + "A disabled callback is enabled.",
    body: .json(.object([.required("since", .integer(minimum: 0))])),
    answers: [
      .message(
        "Action successful",
        and: [.required("acknowledged", .count, "The number after which the sequence continues.")])
    ], errors: [noCallback])

  /// Lists the calls.
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
