import HTTP
import JSON

extension Endpoint {
  /// Push messages to browsers whose pages are closed (NTF-2).
  static let push: [Endpoint] = [
    .pushSubscriptions, .storePushSubscription, .removePushSubscription,
  ]

  /// Lists the subscriptions of browsers.
  package static let pushSubscriptions = Endpoint.get(
    "/notifications/push", "pushSubscriptions", at: .data4help,
    for: .account(otherwise: .wrongToken),
    "The public key of this installation for push services (RFC 8292), and the browsers that "
      + "receive the account's notices by push, newest first; at most ten.",
    answers: [
      .json(
        .object([
          .required(
            "publicKey", .text,
            "A point of P-256 in base64url: the `applicationServerKey` of a subscription."),
          .required(
            "subscriptions",
            .array(
              of: .object([
                .required("subscriptionID", .uuid),
                .required("endpoint", .text, "The browser's address at its push service."),
                .required("kinds", .array(of: .oneOf(noticeKinds)), "The kinds that it receives."),
                .required("createdAt", .dateTime),
                .required("current", .boolean, "Whether this session stored it."),
              ]))),
        ]))
    ]
  ).forPeopleOnly()

  /// Stores the subscription of a browser.
  package static let storePushSubscription = Endpoint.post(
    "/notifications/push", "storePushSubscription", at: .data4help,
    for: .account(otherwise: .wrongToken),
    "Sends the account's notices to a browser by push, encrypted for it (RFC 8291) and without "
      + "health data, until the subscription is removed, its session logs out, or the password "
      + "changes in another session. Alarms and calls of hospitals are sent at once, other notices "
      + "if no stream has delivered them for five seconds. The same `endpoint` replaces the stored "
      + "subscription, also that of another account; an eleventh subscription replaces the oldest.",
    body: .json(StorePushSubscriptionBody.self),
    answers: [.json(.object([.required("subscriptionID", .uuid)]))]
  ).forPeopleOnly()

  /// Removes the subscription of a browser.
  package static let removePushSubscription = Endpoint.delete(
    "/notifications/push/{subscriptionID}", "removePushSubscription", at: .data4help,
    for: .account(otherwise: .wrongToken),
    "Removes a subscription: nothing more is sent to that browser.",
    in: [PathParameter("subscriptionID", .uuid, "The `subscriptionID`.")],
    answers: [.message("Action successful")],
    errors: [ErrorAnswer(.notFound, "Not found", "There is no such subscription.")]
  ).forPeopleOnly()
}

/// The body of `POST /notifications/push`.
package struct StorePushSubscriptionBody: JSONDocumented {
  /// The address at the push service, not yet parsed.
  package let endpoint: String
  /// The browser's public key in base64url.
  package let publicKey: String
  /// The browser's authentication secret in base64url.
  package let secret: String
  /// The names of the kinds that it receives; nil for all.
  package let kinds: [String]?

  /// The fields, named as in a browser's `PushSubscription`.
  package static let document = JSONDocument(
    .required(
      "endpoint", .string(lengthMax: 2000),
      "https, at a public address or one that the operator allows."),
    .required(
      "p256dh", .string(lengthMax: 100),
      "The browser's public key, in base64url without padding."),
    .required(
      "auth", .string(lengthMax: 100), "Its authentication secret, in base64url without padding."),
    .optional("kinds", .noticeKinds, "The kinds of notices to send; all by default."),
    make: StorePushSubscriptionBody.init)
}
