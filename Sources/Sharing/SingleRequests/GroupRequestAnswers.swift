import Domain
import Postgres
import ServiceKit
import Web

/// The answers of group requests at the endpoints that they share with single requests, where the
/// identifier of a request decides. Nil if the third party has no group request with it.
package protocol GroupRequestAnswers: Sendable {
  /// The window that the query's cursor names, the first one without a cursor.
  func deliver(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response?
  /// The newest window as the bytes of a file.
  ///
  /// - Throws: `conflict` if nothing was released, `invalid` for a format that groups don't have.
  func newest(
    _ requestID: DataRequestID, for thirdParty: AccountID, _ format: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8]?
  /// Ends a subscription.
  func end(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response?
}
