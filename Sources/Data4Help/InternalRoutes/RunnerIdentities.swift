import Accounts
import Cryptography
import Domain
import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit
import Sharing

/// The names and emails of runners, for the organiser whose check-in request they accepted (RUN-9).
///
/// The consent is the accepted request: once the runner ends it, or the organiser withdraws it,
/// neither name nor email is disclosed. A request that ended with its run keeps its consent until
/// the runner ends it.
struct RunnerIdentities: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let accesses: AccessRecorder

  /// Identities of these accounts.
  init(
    environment: Environment, database: Database, accountKeys: AccountKeys, root: RootSecret,
    log: Log
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    accesses = AccessRecorder(root: root)
  }

  /// The runners of these requests, each recorded as an access before it is disclosed (NFR-6).
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func runners(_ question: RunnersQuestion) async throws(ApplicationError) -> KnownRunners {
    try await database.transaction { (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        CheckedInRunners(thirdParty: question.thirdParty, requestIDs: question.requestIDs))
      let keys = try await accountKeys.keys(of: rows.map(\.account))
      let now = environment.now()
      var runners: [KnownRunner] = []
      var entries: [AccessedData] = []
      for row in rows {
        guard let key = keys[row.account], let runner = runner(row, under: key) else { continue }
        runners.append(runner)
        entries.append(
          AccessedData(
            account: row.account, thirdParty: question.thirdParty, requestID: row.requestID,
            time: now, format: .identity, types: .none, firstNumber: 1, lastNumber: 0, count: 0))
      }
      try await accesses.record(entries, in: transaction)
      return KnownRunners(runners)
    }
  }

  /// Nil if the profile can't be opened, which is logged.
  private func runner(_ row: CheckedInRunners.Row, under key: SealingKey) -> KnownRunner? {
    do throws(ApplicationError) {
      let opened = try row.sealed.open(SingleUserProfile.self, of: row.account, under: key)
      return KnownRunner(row.requestID, name: opened.profile.fullName, email: opened.email)
    } catch {
      log.failure(
        "read runner profile failed", error, .number("account_id", row.account.rawValue))
      return nil
    }
  }
}

/// The people of accepted check-in requests of an organiser, held against the end of the request
/// and the deletion of the account. By the primary keys.
struct CheckedInRunners: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let account: AccountID
    let sealed: SealedAccount
  }
  static let sql: SQL<Self> = """
    SELECT request.request_id, account.account_id, account.sealed_email, account.sealed_identity,
           account.sealed_profile
      FROM data4help.single_requests AS request
      JOIN data4help.accounts AS account USING (account_id)
     WHERE request.request_id = ANY (\(\.requestIDs))
       AND request.third_party_id = \(\.thirdParty)
       AND request.is_check_in
       AND (request.status = 2 OR request.status = 5 AND request.end_reason = 3)
     ORDER BY request.request_id
       FOR SHARE OF request
       FOR KEY SHARE OF account
    """
  static let columns = Columns {
    (
      requestID: DataRequestID, account: AccountID, email: [UInt8], identity: [UInt8],
      profile: [UInt8]
    ) in
    Row(
      requestID: requestID, account: account,
      sealed: SealedAccount(email: email, identity: identity, profile: profile))
  }
  let thirdParty: AccountID
  let requestIDs: [DataRequestID]
}
