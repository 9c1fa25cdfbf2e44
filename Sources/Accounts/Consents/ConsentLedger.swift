import Domain
import EventLoop
import Postgres
import PublicAPI
import ServiceKit

/// Records the consent of an account to a version of a document, with its time (ACC-2). Entries
/// never change.
struct ConsentLedger: Sendable {
  let environment: Environment

  /// Stores the consents of a registration; only the newest version of a document that concerns the
  /// account is accepted.
  ///
  /// - Parameter registering: the kind of the new account, which must agree to all documents that
  ///   concern it.
  /// - Throws: `invalid` with the document that is missing or outdated, `unavailable`.
  func record(
    _ entries: [ConsentEntry], of account: AccountID, registering kind: AccountKind,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await record(entries, of: account, kind, mustBeAll: true, in: transaction)
  }

  /// Stores consents of an existing account, which may agree to only some documents.
  func record(
    _ entries: [ConsentEntry], of account: AccountID, _ kind: AccountKind,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard !entries.isEmpty else { return }
    try await record(entries, of: account, kind, mustBeAll: false, in: transaction)
  }

  private func record(
    _ entries: [ConsentEntry], of account: AccountID, _ kind: AccountKind, mustBeAll: Bool,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let published = try await transaction.run(NewestDocuments())
      .filter { $0.document.concerns(kind) }
    for entry in entries
    where !published.contains(where: {
      $0.document == entry.document && $0.version == entry.version
    }) {
      throw .invalid(
        "This is not the current version of the document \(entry.document.rawValue).",
        field: "consents")
    }
    if mustBeAll,
      let missing = published.first(where: { row in
        !entries.contains { $0.document == row.document }
      })
    {
      throw .invalid(
        "Registering needs consent to version \(missing.version) of the document "
          + "\(missing.document.rawValue).", field: "consents")
    }
    guard !entries.isEmpty else { return }
    try await transaction.run(
      InsertConsents(
        account: account, documents: entries.map(\.document.rawValue),
        versions: entries.map(\.version), at: environment.now()))
  }
}
