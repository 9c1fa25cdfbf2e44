import Delivery
import Domain
import EventLoop
import Postgres
import Privacy

extension MailTies {
  /// A mail for the owner of this account; of a request if it holds the data of one.
  package init(_ account: AccountID, holding request: DataRequestID? = nil) {
    self.init(
      account: account.rawValue,
      request: request.map { UniversalID(high: $0.high, low: $0.low) })
  }

  /// Whether a deletion or an end may call the mail back.
  fileprivate var isSomebodys: Bool { account != nil || request != nil }

  /// The request of which the mail holds data.
  fileprivate var requestID: DataRequestID? {
    request.map { DataRequestID(high: $0.high, low: $0.low) }
  }
}

extension DeliveryFence {
  /// Whether a mail with these ties, which was read after `readAt`, may leave now. One that is
  /// nobody's always may.
  package func admits(_ ties: MailTies, readAt: MonotonicInstant) -> Bool {
    guard ties.isSomebodys else { return true }
    if let account = ties.account, hasRecalled(AccountID(rawValue: account)) { return false }
    return admits(ties.requestID.map { [$0] } ?? [], readAt: readAt)
  }

  /// Lets the mails of this process be called back with their account or their request.
  package func callsBack(_ mails: MailWorker) {
    add { recalled in
      await mails.callBack { ties in
        guard let recalled else { return ties.isSomebodys }
        return ties.account.map { recalled.accounts.contains(AccountID(rawValue: $0)) } ?? false
          || ties.requestID.map(recalled.requestIDs.contains) ?? false
      }
    }
  }
}

extension DeleteMails {
  /// Those of an account, and those that hold data of these requests.
  init(account: AccountID?, requestIDs: [DataRequestID]) {
    self.init(
      account: account?.rawValue,
      requests: requestIDs.map { UniversalID(high: $0.high, low: $0.low) })
  }
}
