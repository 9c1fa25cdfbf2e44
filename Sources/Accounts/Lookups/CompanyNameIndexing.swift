import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit

/// Enters the names of companies that were activated or renamed into the index by which people find
/// them (REQ-3), and again after an update that changes the comparison of letters; their names are
/// then also reserved under the new hashes (ACC-12).
///
/// Replicas may work at the same time: rows that one has locked are skipped by the others.
package struct CompanyNameIndexing: Sendable {
  /// The worker's pause between turns: a new company is found after this time.
  static let pause = Duration.seconds(2)
  /// The maximum number of companies in one transaction.
  static let batchMax = 100

  private let loop: EventLoop
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let index: CompanyNameIndex
  private let identifiers: AccountIndexes

  /// A worker that does nothing until its work is started.
  package init(
    loop: EventLoop, database: Database, accountKeys: AccountKeys, root: RootSecret, log: Log
  ) {
    self.loop = loop
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    index = CompanyNameIndex(root: root)
    identifiers = AccountIndexes(root: root)
  }

  /// The periodic work.
  package var work: PeriodicTask {
    PeriodicTask(on: loop) {
      do throws(ApplicationError) { try await run() } catch {
        log.failure("index company names failed", error, level: .warning)
      }
      return Self.pause
    }
  }

  /// Enters all companies that are missing.
  ///
  /// - Throws: `unavailable` if a database is unavailable; the remaining companies are entered in
  ///   the next turn.
  package func run() async throws(ApplicationError) {
    while try await enterSome() == Self.batchMax {}
  }

  private func enterSome() async throws(ApplicationError) -> Int {
    try await database.transaction { (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(LockCompaniesToIndex(limit: Self.batchMax))
      guard !rows.isEmpty else { return 0 }
      let keys = try await accountKeys.keys(of: rows.map(\.account))
      var prefixes = InsertCompanyNamePrefixes()
      var held = HoldNames()
      for row in rows {
        guard let key = keys[row.account], let name = name(of: row, under: key) else { continue }
        held.append(identifiers.value(of: name), of: row.account)
        for (prefix, letters) in index.values(of: name) {
          prefixes.append(prefix, letters, of: row.account)
        }
      }
      let accounts = rows.map(\.account)
      try await transaction.run(
        DeleteCompanyNamePrefixes(accounts: accounts), prefixes, held,
        NoteNamesIndexed(accounts: accounts))
      return rows.count
    }
  }

  /// The name; nil for a profile that can't be read, which no search finds.
  private func name(of row: ThirdParties.Row, under key: SealingKey) -> CompanyName? {
    do throws(ApplicationError) {
      let opened = try row.sealed.open(ThirdPartyProfile.self, of: row.account, under: key)
      return try checked("company_name") { () throws(NameError) in
        try CompanyName(stored: opened.profile.companyName)
      }
    } catch {
      log.failure(
        "read company name failed", error, .number("account_id", row.account.rawValue))
      return nil
    }
  }
}
