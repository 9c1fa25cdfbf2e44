import Delivery
import Domain
import EventLoop
import Postgres
import Privacy

extension MailTies {
  /// A mail for the owner of this account; with the request whose data it holds, if any.
  package init(_ account: AccountID, holding request: DataRequestID? = nil) {
    self.init(
      account: account.rawValue,
      request: request.map { UniversalID(high: $0.high, low: $0.low) })
  }

  /// Whether a deletion or the end of a request may recall the mail.
  fileprivate var isSomebodys: Bool { account != nil || request != nil }

  /// The request whose data the mail holds.
  fileprivate var requestID: DataRequestID? {
    request.map { DataRequestID(high: $0.high, low: $0.low) }
  }
}

extension DeliveryFence {
  /// Whether a mail with these ties, read at `readAt`, may be sent now. A mail without an account
  /// or request always may.
  package func admits(_ ties: MailTies, readAt: MonotonicInstant) -> Bool {
    guard ties.isSomebodys else { return true }
    if let account = ties.account, hasRecalled(AccountID(rawValue: account)) { return false }
    return admits(ties.requestID.map { [$0] } ?? [], readAt: readAt)
  }

  /// Recalls the mails of this process together with their account or their request.
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
  /// The mails of an account, and those that hold data of these requests.
  init(account: AccountID?, requestIDs: [DataRequestID]) {
    self.init(
      account: account?.rawValue,
      requests: requestIDs.map { UniversalID(high: $0.high, low: $0.low) })
  }
}
