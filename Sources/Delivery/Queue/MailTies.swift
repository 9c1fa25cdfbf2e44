import Privacy

/// What a mail depends on: it is sent only while its account exists and its request shares data.
package struct MailTies: Sendable, Hashable {
  /// The account that receives the mail, or to which the mail grants access.
  package let account: Int64?
  /// The request whose data the mail contains.
  package let request: UniversalID?

  /// Ties to an account, and to a request if the mail contains its data.
  package init(account: Int64?, request: UniversalID? = nil) {
    self.account = account
    self.request = request
  }
}
