import Bytes
import Cryptography

/// The account and request that own a mail: it is sent only while its account exists and its
/// request shares data.
package struct MailOwner: Sendable, Hashable {
  /// The account that receives the mail, or to which the mail grants access.
  package let account: Int64?
  /// The request whose data the mail contains.
  package let request: UniversalID?

  /// Creates an owner from an account, and from a request if the mail contains its data.
  package init(account: Int64?, request: UniversalID? = nil) {
    self.account = account
    self.request = request
  }
}
