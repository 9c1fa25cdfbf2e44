import HTTP
import PublicAPI
import Services

/// The endpoints of single requests (R10-R24).
package struct SingleRequestRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these accounts and samples; an unanswered request expires after
  /// `answerWithinSeconds` (REQ-1), mails come from the sender of `settings`, and
  /// requests are paid on the terms of `payments`.
  package init(
    _ surroundings: Surroundings, directory: AccountDirectory, samples: SampleStore,
    groups: GroupRequests, answerWithinSeconds: Int64, settings: AuthenticationSettings,
    payments: PaymentTerms
  ) {
    let sending = RequestSending(
      surroundings: surroundings, directory: directory, samples: samples,
      answerWithinSeconds: answerWithinSeconds, prices: payments.prices)
    let lists = RequestLists(surroundings: surroundings, directory: directory)
    let answering = RequestAnswering(surroundings: surroundings)
    let delivery = RequestDelivery(
      surroundings: surroundings, samples: samples,
      accesses: AccessRecorder(root: surroundings.root))
    let groupDelivery = GroupDelivery(surroundings: surroundings)
    let mailing = DataMailing(
      surroundings: surroundings, settings: settings, singles: delivery, groups: groupDelivery)
    let pricing = RequestPricing(surroundings: surroundings, prices: payments.prices)
    let routes = surroundings.routes
    all =
      [
        routes.identified(.sendSingle, sending.send),
        routes.identified(.sendGroup, GroupSending(groups: groups, prices: payments.prices).send),
        routes.identified(.priceOfRequest, pricing.price),
        routes.identified(.listForSingleUser, lists.forSingleUser),
        routes.identified(.listForThirdParty, lists.forThirdParty),
        routes.identified(.answerRequest, answering.answer),
        routes.identified(.deliveredData) { (request, identity) throws(ApplicationError) in
          if let group = try await groupDelivery.deliver(request, identity) { return group }
          return try await delivery.deliver(request, identity)
        },
        routes.identified(.mailData, mailing.send),
        routes.identified(.endByThirdParty) { (request, identity) throws(ApplicationError) in
          if let ended = try await groups.end(request, identity) { return ended }
          return try await answering.endByThirdParty(request, identity)
        },
        routes.identified(.endBySingleUser, answering.endBySingleUser),
      ] + PaymentRoutes(surroundings, payments).all
  }
}
