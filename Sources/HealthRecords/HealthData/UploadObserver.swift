import Domain
import ServiceKit

/// Examines uploads before they are stored: their samples may be readings of an emergency.
package protocol UploadObserver: Sendable {
  /// The types that devices were paired for.
  var pairedTypes: PairedTypes { get }
  /// Whether this process monitors an account.
  func monitors(_ account: AccountID) -> Bool
  /// Whether an account is monitored. Looked up if the gateway has marked the upload (`isMarked`)
  /// and this process does not know the account.
  func watches(_ account: AccountID, isMarked: Bool) async -> Bool
  /// Checks that a device was paired for the types of its samples; false if its types are not known
  /// in time.
  ///
  /// - Throws: `forbidden` for a type that it was not paired for.
  func check(
    _ received: ReceivedSamples, from caller: Identity, in field: String
  ) async throws(ApplicationError) -> Bool
  /// Examines samples that have arrived.
  func take(_ received: ReceivedSamples, of account: AccountID)
  /// Examines the readable part of a refused body; returns the refusal, which mentions it.
  func refusal(
    _ problem: ApplicationError, judging readable: ReceivedSamples, from caller: Identity
  ) async -> ApplicationError
  /// Waits for database work while the database answers.
  ///
  /// - Throws: the error of `work`; `unavailable` if the database is unavailable.
  func whileDatabaseAnswers<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value
}
