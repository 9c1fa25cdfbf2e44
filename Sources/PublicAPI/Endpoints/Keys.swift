import HTTP
import JSON

extension Endpoint {
  /// API keys for programs of third parties (ACC-10).
  static let keys: [Endpoint] = [.createKey, .listKeys, .revokeKey]

  /// Creates a key for a program.
  package static let createKey = Endpoint.post(
    "/auth/keys", "createKey", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Creates a key for one of your programs; only this response shows it. It is sent as "
      + "`Authorization: Bearer` and permits everything that a third party may do except "
      + "managing the account.",
    body: .json(CreateKeyBody.self),
    answers: [
      .json(
        .object([
          .required("keyID", .uuid), .required("key", .text, "Begins with `tmk_`."),
        ]))
    ],
    errors: [ErrorAnswer(.conflict, "Wrong state", "The account already has twenty keys.")],
    answerIsSecret: true
  ).forPeopleOnly()

  /// Lists the keys.
  package static let listKeys = Endpoint.get(
    "/auth/keys", "listKeys", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Lists the keys, newest first; at most twenty.",
    answers: [
      .json(
        .object([
          .required(
            "keys",
            .array(
              of: .object([
                .required("keyID", .uuid), .required("name", .text),
                .required("createdAt", .dateTime),
                .required("lastUsedAt", .dateTime.nullable, "To the minute; null if never."),
              ])))
        ]))
    ]
  ).forPeopleOnly()

  /// Revokes a key.
  package static let revokeKey = Endpoint.delete(
    "/auth/keys/{keyID}", "revokeKey", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Revokes a key: it is refused everywhere within a second.",
    in: [PathParameter("keyID", .uuid, "The key's `keyID`.")],
    answers: [.message("Action successful")],
    errors: [ErrorAnswer(.notFound, "Not found", "There is no such key.")]
  ).forPeopleOnly()
}

/// The body of `POST /auth/keys`.
package struct CreateKeyBody: JSONDocumented {
  /// The name of the key.
  package let name: String

  /// The fields.
  package static let document = JSONDocument(
    .required("name", .line, "The purpose of the key."), make: CreateKeyBody.init)
}
