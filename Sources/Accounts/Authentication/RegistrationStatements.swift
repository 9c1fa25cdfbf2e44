import Cryptography
import Domain
import Postgres
import PublicAPI
import ServiceKit
import Time

/// Returns the number unless an account already has it: that account's key would be destroyed with
/// the registration.
struct BeginRegistration: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.begun_registrations (account_id, begun_at)
    SELECT \(\.account), \(\.at)
     WHERE NOT EXISTS (SELECT FROM data4help.accounts WHERE account_id = \(\.account))
    RETURNING account_id
    """
  let account: AccountID
  let at: Instant
}

/// Returns the account's number if its registration has begun and has not finished yet.
struct FinishRegistration: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    DELETE FROM data4help.begun_registrations
     WHERE account_id = \(\.account)
    RETURNING account_id
    """
  let account: AccountID
}

/// Returns the account's number if it now has the email, fiscal code, P.IVA or company name; an
/// expired reservation is replaced.
struct ReserveIdentifier: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.account_identifiers AS held (blind, account_id, reserved_until)
    VALUES (\(\.blind), \(\.account), \(\.until))
        ON CONFLICT (blind) DO UPDATE
       SET account_id = excluded.account_id, reserved_until = excluded.reserved_until
     WHERE held.reserved_until <= \(\.now)
    RETURNING account_id
    """
  let blind: BlindValue
  let account: AccountID
  let now: Instant
  let until: Instant
}

struct InsertAccount: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.accounts
           (account_id, kind, password_hash, registered_at, sealed_email, sealed_identity,
            sealed_profile, birth_date, sex, residence_place, birth_place, nationality,
            occupation, language, time_zone, needs_parent)
    VALUES (\(\.account), \(\.kind), \(\.passwordHash), \(\.at), \(\.sealed.email),
            \(\.sealed.identity), \(\.sealed.profile), \(\.searched.birthDate),
            \(\.searched.sex), \(\.searched.residence), \(\.searched.birthPlace),
            \(\.searched.nationality), \(\.searched.occupation), \(\.locale.language),
            \(\.locale.timeZone), \(\.needsParent))
    """
  let account: AccountID
  let kind: StoredKind
  let passwordHash: String
  let at: Instant
  let sealed: SealedAccount
  let searched: SearchedColumns
  let locale: StoredLocale
  let needsParent: Bool

  init(
    _ registrant: Registrant, _ account: AccountID, passwordHash: String, under key: SealingKey,
    at: Instant
  ) {
    self.account = account
    self.passwordHash = passwordHash
    self.at = at
    kind = StoredKind(registrant.kind)
    locale = registrant.locale
    needsParent = registrant.parentEmail != nil
    switch registrant.claim {
    case .person(let code, let birthDate, let sex, let profile):
      searched = SearchedColumns(profile, birthDate, sex)
      sealed = SealedAccount(
        email: registrant.email, identity: code.text, profile: profile, of: account, under: key)
    case .company(let number, _, let profile):
      searched = SearchedColumns()
      sealed = SealedAccount(
        email: registrant.email, identity: number.text, profile: profile, of: account,
        under: key)
    }
  }
}

/// The diseases of a profile, each as a keyed hash.
struct InsertDiseases: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.account_diseases (account_id, disease)
    SELECT \(\.account), named.disease
      FROM unnest(\(\.diseases)) AS named (disease)
    """
  let account: AccountID
  let diseases: [BlindValue]

  init(_ account: AccountID, _ entries: [DiseaseEntry], _ indexes: AccountIndexes) {
    self.account = account
    diseases = entries.map { indexes.value(of: $0.disease) }
  }
}
