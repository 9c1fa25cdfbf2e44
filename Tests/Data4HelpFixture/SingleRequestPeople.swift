import Accounts
import Bytes
import Cryptography
import Domain
import Foundation
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Support
import Testing
import Time

/// The people and companies of these tests.
package enum Known {
  package static let mario = AccountID(rawValue: 11)
  package static let laura = AccountID(rawValue: 12)
  package static let clinic = AccountID(rawValue: 21)
  package static let studio = AccountID(rawValue: 22)
  package static let marioEmail = "mario.rossi@example.org"
  package static let marioCode = "RSSMRA80A01H501U"
  package static let lauraEmail = "laura.bianchi@example.org"
  package static let lauraCode = "BNCLRA92D55F205E"
}

extension SingleRequestStage {
  /// Mario and Laura, and two companies.
  package func populate() async throws {
    try await addPerson(Known.mario, Known.marioEmail, Known.marioCode)
    try await addPerson(Known.laura, Known.lauraEmail, Known.lauraCode)
    try await addCompany(Known.clinic, "12345670157", "Clinic")
    try await addCompany(Known.studio, "00743110157", "Studio")
  }

  package func addPerson(_ account: AccountID, _ email: String, _ code: String) async throws {
    let key = try await parts.accountKeys.make(for: account)
    let root = installation.root
    let emailBlind = BlindIndex(.email, root: root).value(of: try EmailAddress(email).text)
    let codeBlind = BlindIndex(.fiscalCode, root: root).value(of: try FiscalCode(code).text)
    try installation.data.run(
      """
      INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
             sealed_email, sealed_identity, sealed_profile, birth_date, sex)
      VALUES (\(account), 1, 2, '', now(), \(hex(seal(email, "sealed_email", account, key))),
              \(hex(seal(code, "sealed_identity", account, key))),
              \(hex(seal("{\"full_name\":\"A\"}", "sealed_profile", account, key))),
              '1980-01-01', 'M');
      INSERT INTO data4help.account_identifiers VALUES (\(hex(emailBlind.bytes)), \(account), NULL);
      INSERT INTO data4help.account_identifiers VALUES (\(hex(codeBlind.bytes)), \(account), NULL);
      """)
  }

  package func addCompany(_ account: AccountID, _ vatNumber: String, _ name: String) async throws {
    let key = try await parts.accountKeys.make(for: account)
    let email = "\(name.lowercased())@example.com"
    let root = installation.root
    let emailBlind = BlindIndex(.email, root: root).value(of: try EmailAddress(email).text)
    let vatBlind = BlindIndex(.vatNumber, root: root).value(of: try VATNumber(vatNumber).text)
    let profile = "{\"company_name\":\"\(name)\",\"company_description\":\"We are \(name).\"}"
    try installation.data.run(
      """
      INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
             sealed_email, sealed_identity, sealed_profile)
      VALUES (\(account), 2, 2, '', now(), \(hex(seal(email, "sealed_email", account, key))),
              \(hex(seal(vatNumber, "sealed_identity", account, key))),
              \(hex(seal(profile, "sealed_profile", account, key))));
      INSERT INTO data4help.account_identifiers VALUES (\(hex(emailBlind.bytes)), \(account), NULL);
      INSERT INTO data4help.account_identifiers VALUES (\(hex(vatBlind.bytes)), \(account), NULL);
      """)
  }

  /// Renames a company.
  package func rename(_ account: AccountID, to name: String) async throws {
    let key = try await parts.accountKeys.key(of: account)
    let profile = "{\"company_name\":\"\(name)\",\"company_description\":\"As before.\"}"
    try installation.data.run(
      """
      UPDATE data4help.accounts
         SET sealed_profile = \(hex(seal(profile, "sealed_profile", account, key)))
       WHERE account_id = \(account)
      """)
  }

  private func seal(
    _ text: String, _ column: StaticString, _ account: AccountID, _ key: SealingKey
  ) -> [UInt8] {
    key.seal(
      text, for: SealContext(table: "accounts", column: column, row: SealRow(account.rawValue)))
  }

  private func hex(_ bytes: [UInt8]) -> String {
    "'\\x\(Hexadecimal.encode(bytes.span))'"
  }

  /// The only value of a query on the data.
  package func cell(_ sql: StaticString) throws -> String? {
    try installation.data.session().rows(sql).first?.first ?? nil
  }

  /// Runs SQL on the data as the superuser.
  package func run(_ script: String) throws { try installation.data.run(script) }

  /// Stores heart rates, one a minute, the last one `minutesAgo` before now.
  @discardableResult
  package func store(
    _ count: Int, of type: DataType = .heartRate, for account: AccountID = Known.mario,
    minutesAgo: Int64 = 10, value: Double = 60
  ) async throws -> AppendOutcome {
    let end = clock.now.adding(seconds: -60 * minutesAgo)
    let samples = try (0..<count).map { index in
      NewSample(
        type: type, time: end.adding(seconds: -60 * Int64(count - 1 - index)),
        value: try SampleValue(value + Double(index % 100), of: type))
    }
    return try await samples.isEmpty ? AppendOutcome() : self.samples.append(samples, to: account)
  }
}

/// Requests sent by the people and companies of these tests.
extension SingleRequestStage {
  package func send(
    _ body: String, by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(.sendSingle, body, by: company, .thirdParty)
  }

  /// Sends a request to Mario, and returns its identifier.
  package func ask(
    _ types: String = "\"heartRate\"", _ rest: String = ",\"subscribing\":false",
    by company: AccountID = Known.clinic
  ) async throws -> String {
    let reply = try await send(
      "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\(types)]\(rest)}", by: company)
    #expect(reply.status == 200)
    return try #require(reply["reqID"])
  }

  package func subscribe(
    _ types: String = "\"heartRate\"", seconds: Int = 3600, by company: AccountID = Known.clinic
  ) async throws -> String {
    try await ask(types, ",\"subscribing\":true,\"duration\":\(seconds)", by: company)
  }

  package func choose(
    _ choice: String, _ requestID: String, _ rest: String = "",
    by person: AccountID = Known.mario
  ) async throws -> Reply {
    try await call(
      .answerRequest, "{\"reqID\":\"\(requestID)\",\"choice\":\"\(choice)\"\(rest)}",
      by: person, .singleUser)
  }

  /// Makes a person's account active or inactive.
  package func choose(
    isActive: Bool, by person: AccountID = Known.mario
  ) async throws -> Reply {
    try await call(.chooseStatus, "{\"active\":\(isActive)}", by: person, .singleUser)
  }

  package func endByCompany(
    _ requestID: String, by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(
      .endByThirdParty, "{\"reqID\":\"\(requestID)\"}", by: company, .thirdParty)
  }

  package func endByPerson(
    _ requestID: String, by person: AccountID = Known.mario
  ) async throws -> Reply {
    try await call(.endBySingleUser, "{\"reqID\":\"\(requestID)\"}", by: person, .singleUser)
  }

  package func data(
    _ requestID: String, cursor: String? = nil, format: String? = nil,
    by company: AccountID = Known.clinic
  ) async throws -> Reply {
    var query = "reqID=\(requestID)"
    if let cursor { query += "&cursor=\(cursor)" }
    if let format { query += "&format=\(format)" }
    return try await call(.deliveredData, query: query, by: company, .thirdParty)
  }

  package func personList(
    _ query: String = "", of person: AccountID = Known.mario
  ) async throws -> Reply {
    try await call(.listForSingleUser, query: query, by: person, .singleUser)
  }

  package func companyList(
    _ query: String = "", of company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(.listForThirdParty, query: query, by: company, .thirdParty)
  }

  package func accessList(
    _ query: String = "", of person: AccountID = Known.mario
  ) async throws -> Reply {
    try await call(.accesses, query: query, by: person, .singleUser)
  }

  /// The status of a request as the company's list shows it.
  package func status(_ requestID: String) async throws -> String? {
    let rows = try await companyList("limit=500").list("requests")
    return rows.first { $0["reqID"] as? String == requestID }?["status"] as? String
  }
}
