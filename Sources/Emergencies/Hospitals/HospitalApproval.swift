import Accounts
import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// The operator's approval of third parties that answer emergencies (SOS-12).
package struct HospitalApproval: Sendable {
  private let database: Database
  private let indexes: AccountIndexes

  /// Approvals in this database; accounts are found under this secret.
  package init(database: Database, root: RootSecret) {
    self.database = database
    indexes = AccountIndexes(root: root)
  }

  /// Approves the third party of an email, or withdraws the approval; false if there is no such
  /// third party.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func set(
    _ isApproved: Bool, for email: EmailAddress, at now: Instant = .system
  ) async throws(ApplicationError) -> Bool {
    let holder = ActiveHolder(blind: indexes.value(of: email), kind: .thirdParty)
    guard let account = try await database.row(holder) else { return false }
    let approval = ApproveHospital(
      account: account, approvedAt: isApproved ? now : nil, now: now)
    return try await database.effect(approval) != nil
  }
}
