import Privacy

/// What a mail goes with: it leaves only while its account is there and its request gives data.
package struct MailTies: Sendable, Hashable {
  /// The number of the account that it is for, or that it lets somebody into.
  package let account: Int64?
  /// The request of which it holds data.
  package let request: UniversalID?

  /// Ties to an account, and to a request if it holds data of one.
  package init(account: Int64?, request: UniversalID? = nil) {
    self.account = account
    self.request = request
  }
}
