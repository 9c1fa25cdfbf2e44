import Bytes
import Domain
import Mail

extension MailOwner {
  /// A mail for the owner of this account; with the request whose data it holds, if any.
  package init(_ account: AccountID, holding request: DataRequestID? = nil) {
    self.init(
      account: account.rawValue,
      request: request.map { UniversalID(high: $0.high, low: $0.low) })
  }
}
