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
          .required("acknowledged", .count, "The last acknowledged sequence number."),
          .required("failedAttempts", .count, "The failed attempts since then."),
          .optional("nextAttemptAt", .dateTime),
          .optional("previousUntil", .dateTime, "The end of the previous secret's validity."),
        ]))
    ], errors: [noCallback])

  /// Registers an endpoint that answers a challenge.
  package static let storeCallback = Endpoint.post(
    "/req/tp/callback", "storeCallback", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Registers the callback URL and replaces the previous one. A signed challenge is sent "
      + "to it first; the endpoint must return the challenge with status 200. Needs a login: "
      + "API keys are refused.",
    body: .json(StoreCallbackBody.self),
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
    body: .json(RotateCallbackSecretBody.self),
    answers: [
      .json(
        .object([
          .required("secret", .text, "Signs every call from now on; shown only once."),
          .optional("previousUntil", .dateTime, "The end of the previous secret's validity."),
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
    body: .json(ResendCallbackBody.self),
    answers: [
      .message(
        "Action successful",
        and: [.required("acknowledged", .count, "The number after which the sequence continues.")])
    ], errors: [noCallback])

  /// Lists the calls.
  package static let callbackLog = Endpoint.get(
    "/req/tp/callback/log", "callbackLog", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "The calls of the last 30 days, or of the operator's period, newest first.",
    query: QueryParameter.paging,
    answers: [
      .json(
        .object([
          .required("registered", .boolean, "Whether a callback is registered now."),
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

/// The body of `POST /req/tp/callback`.
package struct StoreCallbackBody: JSONDocumented {
  /// The address to call, not yet parsed.
  package let url: String

  /// The fields.
  package static let document = JSONDocument(
    .required("url", .string(lengthMax: 500), "https."), make: StoreCallbackBody.init)
}

/// The body of `POST /req/tp/callback/secret`.
package struct RotateCallbackSecretBody: JSONDocumented {
  /// How long the previous secret stays valid; at most seven days.
  package let overlap: Duration

  /// The fields.
  package static let document = JSONDocument(
    .optional(
      "overlap", .overlap,
      "Seconds for which the previous secret stays valid; by default one day, 0 ends it now.",
      else: .seconds(86_400)),
    make: RotateCallbackSecretBody.init)
}

/// The body of `POST /req/tp/callback/resend`.
package struct ResendCallbackBody: JSONDocumented {
  /// The number after which the sequence continues.
  package let since: Int64

  /// The fields.
  package static let document = JSONDocument(
    .required("since", .sequenceNumber), make: ResendCallbackBody.init)
}

extension JSONForm<Duration> {
  /// The seconds for which two secrets are valid.
  fileprivate static var overlap: Self {
    let seconds = 0...604_800
    return Self(.integer(seconds)) { (reader) throws(JSONError) in
      let number = try reader.integer()
      guard seconds.contains(number) else {
        throw reader.refusal("The overlap has 0 to 604800 seconds.")
      }
      return .seconds(number)
    }
  }
}

extension JSONForm<Int64> {
  /// A sequence number.
  fileprivate static var sequenceNumber: Self {
    Self(.integer(minimum: 0)) { (reader) throws(JSONError) in
      let number = try reader.integer()
      guard number >= 0 else { throw reader.refusal("A sequence number is not negative.") }
      return Int64(number)
    }
  }
}
