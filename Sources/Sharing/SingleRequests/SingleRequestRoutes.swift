import Accounts
import HealthRecords
import PublicAPI
import ServiceKit
import Web

/// The endpoints of single requests (R10-R24).
package struct SingleRequestRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these accounts and samples; an unanswered request expires after
  /// `answerWithinSeconds` (REQ-1), mails come from the sender of `settings`, and
  /// requests are paid on the terms of `payments`. `groups` answers for group requests.
  package init(
    _ dependencies: SharingDependencies, directory: AccountDirectory, samples: SampleStore,
    groups: any GroupRequestAnswers, answerWithinSeconds: Int64, settings: AuthenticationSettings,
    payments: PaymentTerms
  ) {
    let sending = SendSingleRequest(
      environment: dependencies.environment, accountKeys: dependencies.accountKeys,
      effects: dependencies.effects, notices: dependencies.notices, events: dependencies.events,
      directory: directory, samples: samples,
      answerWithinSeconds: answerWithinSeconds, prices: payments.prices)
    let lists = RequestLists(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, directory: directory)
    let answering = RequestAnswering(
      environment: dependencies.environment, effects: dependencies.effects,
      notices: dependencies.notices,
      events: dependencies.events, revocations: dependencies.revocations)
    let delivery = RequestDelivery(
      loop: dependencies.loop, environment: dependencies.environment,
      database: dependencies.database,
      fence: dependencies.fence, turns: dependencies.turns, downloads: dependencies.downloads,
      samples: samples, accesses: AccessRecorder(root: dependencies.root))
    let mailing = DataMailing(
      environment: dependencies.environment, accountKeys: dependencies.accountKeys,
      effects: dependencies.effects, locales: dependencies.locales,
      mailQueue: dependencies.mailQueue, settings: settings, singles: delivery, groups: groups)
    let routes = EndpointRoutes()
    all =
      [
        routes.identified(.sendSingle, sending.send),
        routes.identified(.listForSingleUser, lists.forSingleUser),
        routes.identified(.listForThirdParty, lists.forThirdParty),
        routes.identified(.answerRequest, answering.answer),
        routes.identified(.deliveredData) { (request, identity) throws(ApplicationError) in
          if let group = try await groups.deliver(request, identity) { return group }
          return try await delivery.deliver(request, identity)
        },
        routes.identified(.mailData, mailing.send),
        routes.identified(.endByThirdParty) { (request, identity) throws(ApplicationError) in
          if let ended = try await groups.end(request, identity) { return ended }
          return try await answering.endByThirdParty(request, identity)
        },
        routes.identified(.endBySingleUser, answering.endBySingleUser),
      ]
      + PaymentRoutes(
        environment: dependencies.environment, database: dependencies.database,
        notices: dependencies.notices,
        events: dependencies.events, log: dependencies.log, payments
      ).all
  }
}
