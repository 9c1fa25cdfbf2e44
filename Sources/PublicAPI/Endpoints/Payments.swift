import HTTP
import JSON

extension Endpoint {
  /// Paying for requests (REQ-7, REQ-8).
  static let paying: [Endpoint] = [.payRequest, .payments, .confirmPayment]

  /// The error for an unpaid request: nothing is delivered before the payment.
  static let unpaid = ErrorAnswer(
    .paymentRequired, "Payment due", "The request has been accepted but not paid yet.")

  /// Opens the payment page for a third party.
  package static let payRequest = Endpoint.post(
    "/req/tp/pay", "payRequest", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Returns the broker's page to pay for an accepted request.",
    body: .json(RequestIdentifierBody.self),
    answers: [.json(.object([.required("checkoutURL", .text)]))],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You have no request with this identifier."),
      ErrorAnswer(.conflict, "Wrong state", "Nothing is due for the request."),
    ]
  ).withoutKey()

  /// Lists a third party's payments.
  package static let payments = Endpoint.get(
    "/req/tp/payments", "payments", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Your completed and outstanding payments, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "payments",
        of: [
          .required("reqID", .uuid), .required("amount", .count, "In cents."),
          .required("currency", .text),
          .required(
            "status", .oneOf(["due", "paid", "dropped"]),
            "When the payment was cancelled, because the request ended before it was paid."),
          .required("dueSince", .dateTime), .required("paidAt", .dateTime.nullable),
        ])
    ])

  /// Receives the broker's confirmation of a payment.
  package static let confirmPayment = Endpoint.post(
    "/pay/confirm", "confirmPayment", at: .data4help, for: .anyone,
    "For the payment broker: a confirmation signed in `Stripe-Signature`; a repeated one "
      + "counts once.",
    body: .json(
      .object([
        .required("type", .text), .required("data", .object([.required("object", .object([]))])),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No payment was ever due for the request."),
      ErrorAnswer(.conflict, "Wrong state", "Another amount or currency was due."),
    ]
  ).withoutKey()
}
