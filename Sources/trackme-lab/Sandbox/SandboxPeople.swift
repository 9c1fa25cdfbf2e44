import Accounts
import Bytes
import Cryptography
import Domain
import Installation
import Operations
import Postgres
import ServiceKit

/// The accounts of the people of the town, written directly: the gateway allows an address one
/// registration every two seconds, which would take forty minutes.
///
/// Keys, sealed values, blind indexes and tokens are those of a registration and a login. One
/// password hash serves all people.
struct SandboxPeople {
  private let town: Town
  private let root: RootSecret
  private let tokens: TokenAuthority
  private let wrapper: KeyWrapper
  private let indexes: AccountIndexes
  private let data: AdminSession
  private let keys: AdminSession

  /// The number of the first person's account. Generated people have lower numbers, and accounts of
  /// a registration random ones.
  static let firstNumber: Int64 = 2_000_000_000

  /// - Throws: `StartError` if a key file can't be read or a database can't be reached.
  init(_ town: Town, _ installation: Installation) throws(StartError) {
    self.town = town
    root = try installation.settings.rootSecret()
    tokens = TokenAuthority(root: root)
    wrapper = KeyWrapper(try installation.settings.masterKeys())
    indexes = AccountIndexes(root: root)
    let urls = try DatabaseURLs(installation)
    let (dataURL, keysURL) = (
      try urls.url(.data4help, .trackme), try urls.url(.data4help, .keys)
    )
    do throws(AdminSessionError) {
      data = try AdminSession(url: dataURL.revealed, applicationName: "trackme-lab sandbox")
      keys = try AdminSession(url: keysURL.revealed, applicationName: "trackme-lab sandbox")
    } catch {
      throw StartError(databaseUnavailable: error)
    }
  }

  /// The account number of a person.
  static func account(of citizen: Citizen) -> AccountID {
    AccountID(rawValue: firstNumber + Int64(citizen.number))
  }

  private var numbers: ClosedRange<Int64> {
    Self.firstNumber...Self.firstNumber + Int64(town.citizens.count) - 1
  }

  /// Creates the missing people, all of them or none; false if they exist already.
  ///
  /// - Throws: `StartError` if a database refuses.
  func make(
    trusting company: EmailAddress, consentingTo documents: [PublishedDocument]
  ) throws(StartError) -> Bool {
    let hash: String
    do throws(CryptographyError) {
      hash = try PasswordHasher().hash(SecretBytes(utf8: SandboxParties.password))
    } catch {
      throw StartError("The people can't be made: \(error).")
    }
    return try using { () throws(AdminSessionError) in
      try makeMissing(hash, trusting: company, documents)
    }
  }

  private func makeMissing(
    _ hash: String, trusting company: EmailAddress, _ documents: [PublishedDocument]
  ) throws(AdminSessionError) -> Bool {
    let known = try data.rows(
      """
      SELECT 1
        FROM data4help.accounts
       WHERE account_id BETWEEN $1::bigint AND $2::bigint
       LIMIT 1
      """, ["\(Self.firstNumber)", "\(Self.firstNumber + Int64(town.citizens.count) - 1)"])
    guard known.isEmpty else { return false }
    let accountKeys = town.citizens.map { _ in AccountKey.random() }
    // Keys first, as in a registration: a key without an account seals nothing.
    try storeKeys(accountKeys)
    try data.run("BEGIN")
    try storeAccounts(hash, accountKeys)
    try storeIdentifiers()
    let kind = AccountKind.singleUser.rawValue
    try storeConsents(documents.filter { $0.accountTypes.contains(kind) })
    try storeTrust(in: company)
    try data.run("COMMIT")
    return true
  }

  private func using<Value>(
    _ work: () throws(AdminSessionError) -> Value
  ) throws(StartError) -> Value {
    do throws(AdminSessionError) { return try work() } catch {
      throw StartError(databaseUnavailable: error)
    }
  }

  /// How long before the first day with measurements the accounts were activated.
  private static let daysBefore = 7
}

// MARK: Rows

extension SandboxPeople {
  private func storeKeys(_ accountKeys: [AccountKey]) throws(AdminSessionError) {
    let wrapped = zip(numbers, accountKeys).map { wrapper.wrap($1, account: $0) }
    _ = try keys.rows(
      """
      INSERT INTO account_keys (account_id, wrapped_key, created_at)
      SELECT number, wrapped, now()
        FROM unnest($1::bigint[], $2::bytea[]) AS made (number, wrapped)
          ON CONFLICT (account_id) DO UPDATE SET wrapped_key = excluded.wrapped_key
      """, [ArrayLiteral.plain(numbers), ArrayLiteral.bytes(wrapped)])
  }

  private func storeAccounts(
    _ hash: String, _ accountKeys: [AccountKey]
  ) throws(AdminSessionError) {
    let citizens = town.citizens
    let sealed = zip(citizens, accountKeys).map { citizen, key in
      SealedAccount(
        email: citizen.email, identity: citizen.fiscalCode.text,
        profile: Self.profile(of: citizen), of: Self.account(of: citizen), under: SealingKey(key))
    }
    let days = town.days.count + Self.daysBefore
    _ = try data.rows(
      """
      INSERT INTO data4help.accounts
             (account_id, kind, state, needs_owner, password_hash, registered_at, activated_at,
              sealed_email, sealed_identity, sealed_profile, birth_date, sex, residence_place,
              birth_place, nationality, occupation)
      SELECT number, 1, 2, false, $1::text, now() - $2::integer * INTERVAL '1 day',
             now() - $2::integer * INTERVAL '1 day', email, identity, profile, birth_date, sex,
             residence, 'E648', 'IT', occupation
        FROM unnest($3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::date[], $8::text[],
                    $9::text[], $10::text[])
               AS made (number, email, identity, profile, birth_date, sex, residence, occupation)
      """,
      [
        hash, "\(days)", ArrayLiteral.plain(numbers), ArrayLiteral.bytes(sealed.map(\.email)),
        ArrayLiteral.bytes(sealed.map(\.identity)), ArrayLiteral.bytes(sealed.map(\.profile)),
        ArrayLiteral.plain(citizens.map(\.birthDate)),
        ArrayLiteral.plain(citizens.map(\.sex.rawValue)),
        ArrayLiteral.plain(citizens.map(\.place.rawValue)),
        ArrayLiteral.plain(citizens.map(\.occupation.rawValue)),
      ])
  }

  private static func profile(of citizen: Citizen) -> SingleUserProfile {
    var profile = SingleUserProfile(fullName: citizen.fullName)
    profile.residence = citizen.place.rawValue
    profile.birthPlace = TownPlace.lodi.rawValue
    profile.nationality = "IT"
    profile.occupation = citizen.occupation.rawValue
    profile.height = (citizen.body.height * 100).rounded() / 100
    profile.weight = citizen.body.weight.rounded()
    return profile
  }

  private func storeIdentifiers() throws(AdminSessionError) {
    let blinds = town.citizens.flatMap {
      [indexes.value(of: $0.email).bytes, indexes.value(of: $0.fiscalCode).bytes]
    }
    _ = try data.rows(
      """
      INSERT INTO data4help.account_identifiers (blind, account_id)
      SELECT blind, account FROM unnest($1::bytea[], $2::bigint[]) AS made (blind, account)
      """, [ArrayLiteral.bytes(blinds), ArrayLiteral.plain(numbers.flatMap { [$0, $0] })])
  }

  private func storeConsents(_ documents: [PublishedDocument]) throws(AdminSessionError) {
    _ = try data.rows(
      """
      INSERT INTO data4help.consents (account_id, document, version, given_at)
      SELECT account.account_id, given.document, given.version, now()
        FROM unnest($1::bigint[]) AS account (account_id),
             unnest($2::text[], $3::text[]) AS given (document, version)
      """,
      [
        ArrayLiteral.plain(numbers), ArrayLiteral.texts(documents.map(\.document)),
        ArrayLiteral.texts(documents.map(\.version)),
      ])
  }

  private func storeTrust(in company: EmailAddress) throws(AdminSessionError) {
    let trusting = town.citizens.filter(\.trustsCompany).map { Self.account(of: $0).rawValue }
    _ = try data.rows(
      """
      INSERT INTO data4help.trusted_third_parties (account_id, third_party_id, listed_at)
      SELECT person, held.account_id, now()
        FROM unnest($1::bigint[]) AS trusting (person)
        JOIN data4help.account_identifiers AS held ON held.blind = $2::bytea
      """,
      [
        ArrayLiteral.plain(trusting),
        "\\x" + Hexadecimal.encode(indexes.value(of: company).bytes.span),
      ])
  }
}

// MARK: Sessions and groups

extension SandboxPeople {
  /// Starts a session of each person and ends the earlier ones; returns the tokens by number.
  ///
  /// - Throws: `StartError` if the database refuses.
  func startSessions() throws(StartError) -> [String] {
    try endSessions()
    let issued = numbers.map { _ in tokens.issue(.session) }
    try using { () throws(AdminSessionError) in
      _ = try data.rows(
        """
        WITH clock AS (
               UPDATE data4help.session_clock
                  SET change = change + cardinality($1::bigint[]) RETURNING change)
        INSERT INTO data4help.sessions
               (token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
        SELECT hash, number, 1, now(), now(), now() + INTERVAL '1 day', clock.change - place + 1
          FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS made (number, hash, place),
               clock
        """, [ArrayLiteral.plain(numbers), ArrayLiteral.bytes(issued.map(\.hash.bytes))])
    }
    return issued.map(\.text)
  }

  /// Ends the sessions of all people, so that developers can log in as one of them.
  ///
  /// - Throws: `StartError` if the database refuses.
  func endSessions() throws(StartError) {
    try using { () throws(AdminSessionError) in
      _ = try data.rows(
        """
        WITH open AS (
               SELECT token_hash, row_number() OVER () AS place, count(*) OVER () AS total
                 FROM data4help.sessions
                WHERE account_id BETWEEN $1::bigint AND $2::bigint
                  AND ended_at IS NULL
                  AND bearer = 1),
             clock AS (
               UPDATE data4help.session_clock
                  SET change = change + coalesce((SELECT max(total) FROM open), 0)
               RETURNING change)
        UPDATE data4help.sessions AS session
           SET ended_at = now(), change = clock.change - open.place + 1
          FROM open, clock
         WHERE session.token_hash = open.token_hash
        """, ["\(numbers.lowerBound)", "\(numbers.upperBound)"])
    }
  }

  /// The number of months of people that the services have yet to count for groups.
  ///
  /// - Throws: `StartError` if the database refuses.
  func monthsToCount() throws(StartError) -> Int {
    let rows = try using { () throws(AdminSessionError) in
      try data.rows(
        """
        SELECT count(*) FROM data4help.month_dirty
         WHERE account_id BETWEEN $1::bigint AND $2::bigint
        """, ["\(numbers.lowerBound)", "\(numbers.upperBound)"])
    }
    return rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
  }
}
