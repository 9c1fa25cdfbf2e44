import Domain

/// The subjects of a revocation: all data of requests, and the mails of accounts.
package struct Revoked: Sendable, Equatable {
  /// The requests.
  package var requestIDs: Set<DataRequestID>
  /// The accounts.
  package var accounts: Set<AccountID>

  /// Requests and accounts, or none.
  package init(requestIDs: Set<DataRequestID> = [], accounts: Set<AccountID> = []) {
    self.requestIDs = requestIDs
    self.accounts = accounts
  }

  /// Whether it is empty.
  var isEmpty: Bool { requestIDs.isEmpty && accounts.isEmpty }
}
