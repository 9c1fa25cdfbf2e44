import Cryptography
import Domain
import Postgres
import ServiceKit

/// The profile of an account.
package struct StoredProfile: Statement {
  /// The columns of the profile.
  package typealias Row = ProfileRow
  package static let sql: SQL<Self> = """
    SELECT state, birth_date, sex, language, time_zone, sealed_email, sealed_identity,
           sealed_profile
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       AND kind = \(\.kind)
       AND state <> 1
    """
  package static let columns = ProfileRow.columns
  let account: AccountID
  let kind: StoredKind

  /// Reads the profile of an account of a kind.
  package init(account: AccountID, kind: StoredKind) {
    self.account = account
    self.kind = kind
  }
}

/// The same profile, locked until the commit; no row if the password was changed meanwhile.
struct LockProfile: Statement {
  typealias Row = ProfileRow
  static let sql: SQL<Self> = """
    SELECT state, birth_date, sex, language, time_zone, sealed_email, sealed_identity,
           sealed_profile
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       AND password_hash = \(\.passwordHash)
       AND state <> 1
       FOR NO KEY UPDATE
    """
  static let columns = ProfileRow.columns
  let account: AccountID
  let passwordHash: String
}

/// The columns of a profile.
package struct ProfileRow: Sendable {
  let state: AccountState
  /// Nil for a third party.
  package let birthDate: CalendarDate?
  package let sex: Sex?
  /// The language and time zone that the account has chosen.
  package let locale: StoredLocale
  /// The sealed values.
  package let sealed: SealedAccount

  /// The columns of a profile, with its sealed values.
  package init(
    state: AccountState, birthDate: CalendarDate?, sex: Sex?, locale: StoredLocale,
    sealed: SealedAccount
  ) {
    self.state = state
    self.birthDate = birthDate
    self.sex = sex
    self.locale = locale
    self.sealed = sealed
  }

  static let columns = Columns {
    (
      state: AccountState, birthDate: CalendarDate?, sex: Sex?, language: Language?,
      timeZone: String?, email: [UInt8], identity: [UInt8], profile: [UInt8]
    ) in
    ProfileRow(
      state: state, birthDate: birthDate, sex: sex,
      locale: StoredLocale(language: language, timeZone: timeZone),
      sealed: SealedAccount(email: email, identity: identity, profile: profile))
  }
}

/// Stores a changed profile. `PeopleByName` computes the hash of a person's name again when it is
/// needed; this includes changes by a process of an older version, which does not change
/// `name_folding`.
struct ReplaceProfile: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET sealed_profile = \(\.sealed), birth_date = \(\.searched.birthDate),
           sex = \(\.searched.sex), residence_place = \(\.searched.residence),
           birth_place = \(\.searched.birthPlace), nationality = \(\.searched.nationality),
           occupation = \(\.searched.occupation), language = \(\.locale.language),
           time_zone = \(\.locale.timeZone), full_name_blind = NULL,
           name_folding = CASE kind WHEN 1 THEN 0 ELSE name_folding END
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let sealed: [UInt8]
  let searched: SearchedColumns
  let locale: StoredLocale
}

struct DeleteDiseases: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.account_diseases WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Releases an identifier that an account no longer uses, such as its old company name.
struct ReleaseIdentifier: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.account_identifiers
     WHERE blind = \(\.blind)
       AND account_id = \(\.account)
    """
  let account: AccountID
  let blind: BlindValue
}

/// Switches an activated account active or inactive (ACC-9).
struct ChooseAccountState: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET state = \(\.state)
     WHERE account_id = \(\.account)
       AND state <> 1
    """
  let account: AccountID
  let state: AccountState
}
