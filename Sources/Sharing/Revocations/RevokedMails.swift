import Bytes
import Domain
import Mail
import Postgres
import Time

extension MailOwner {
  /// Whether a deletion or the end of a request may revoke the mail.
  fileprivate var isPresent: Bool { account != nil || request != nil }

  /// The request whose data the mail holds.
  fileprivate var requestID: DataRequestID? {
    request.map { DataRequestID(high: $0.high, low: $0.low) }
  }
}

extension RevocationFence {
  /// Whether a mail of this owner, read at `readAt`, may be sent now. A mail without an account
  /// or request always may.
  package func admits(_ owner: MailOwner, readAt: MonotonicInstant) -> Bool {
    guard owner.isPresent else { return true }
    if let account = owner.account, hasRevoked(AccountID(rawValue: account)) { return false }
    return admits(owner.requestID.map { [$0] } ?? [], readAt: readAt)
  }

  /// Revokes the mails of this process together with their account or their request.
  package func callsBack(_ mails: MailWorker) {
    add { revoked in
      await mails.callBack { owner in
        guard let revoked else { return owner.isPresent }
        return owner.account.map { revoked.accounts.contains(AccountID(rawValue: $0)) } ?? false
          || owner.requestID.map(revoked.requestIDs.contains) ?? false
      }
    }
  }
}

extension DeleteMails {
  /// The mails of an account, and those that hold data of these requests.
  package init(account: AccountID?, requestIDs: [DataRequestID]) {
    self.init(
      account: account?.rawValue,
      requests: requestIDs.map { UniversalID(high: $0.high, low: $0.low) })
  }
}
