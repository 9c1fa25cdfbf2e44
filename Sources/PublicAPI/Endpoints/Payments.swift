import HTTP
import JSON

extension Endpoint {
  /// Paying for requests (REQ-7, REQ-8).
  static let paying: [Endpoint] = [.payRequest, .payments, .confirmPayment]

  /// Something is to be paid before anything is delivered.
  static let unpaid = ErrorAnswer(
    .paymentRequired, "Payment due", "The request was accepted and not paid yet.")

  /// A third party pays.
  package static let payRequest = Endpoint.post(
    "/req/tp/pay", "payRequest", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Gives the broker's page where an accepted request is paid.",
    body: .json(.object([.required("reqID", .uuid)])),
    answers: [.json(.object([.required("checkoutURL", .text)]))],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No request of yours has this identifier."),
      ErrorAnswer(.conflict, "Wrong state", "Nothing is due for the request."),
    ]
  ).withoutKey()

  /// A third party's payments.
  package static let payments = Endpoint.get(
    "/req/tp/payments", "payments", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "What one has paid and is to pay, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "payments",
        of: [
          .required("reqID", .uuid), .required("amount", .count, "In cents."),
          .required("currency", .text),
          .required(
            "status", .oneOf(["due", "paid", "dropped"]),
            "Dropped: the request ended before it was paid."),
          .required("dueSince", .dateTime), .required("paidAt", .dateTime.nullable),
        ])
    ])

  /// The broker confirms a payment.
  package static let confirmPayment = Endpoint.post(
    "/pay/confirm", "confirmPayment", at: .data4help, for: .anyone,
    "For the payment broker: a confirmation signed in `Stripe-Signature`; repeated, it counts "
      + "once.",
    body: .json(
      .object([
        .required("type", .text), .required("data", .object([.required("object", .object([]))])),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "Nothing was ever due for the request."),
      ErrorAnswer(.conflict, "Wrong state", "Another amount or currency was due."),
    ]
  ).withoutKey()
}
