import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// What an emergency contact has said to being one; the raw value is that of the column.
enum ContactState: Int16, PostgresValue, CaseIterable {
  /// A mail has asked them.
  case asked = 1
  /// They are told of emergencies.
  case agreed = 2
  /// They get nothing more from this person.
  case declined = 3

  /// The word in the API.
  var apiName: String {
    switch self {
    case .asked: "asked"
    case .agreed: "agreed"
    case .declined: "declined"
    }
  }
}

/// By what an emergency contact of a person, and the telephone named for them, is recognised
/// without either being readable: keyed hashes that hold for one person only, so that the same
/// contact of two people is not told to be the same.
struct ContactIndex: Sendable {
  private let index: BlindIndex

  init(root: RootSecret) { index = BlindIndex(.emergencyContact, root: root) }

  /// Of the address.
  func address(of contact: EmergencyContact, _ account: AccountID) -> BlindValue {
    index.value(of: "\(account.rawValue) \(contact.email.text)")
  }

  /// Of the telephone, or of there being none.
  func phone(of contact: EmergencyContact, _ account: AccountID) -> BlindValue {
    index.value(of: "\(account.rawValue) phone \(contact.phone?.text ?? "")")
  }
}

/// What is stored of a person's contact.
struct ContactConsentRow: Sendable {
  let contact: BlindValue
  /// The telephone that they were asked about.
  let phone: BlindValue
  let state: ContactState
  /// Whether an emergency was mailed to them before they agreed.
  let isTold: Bool

  static let columns = Columns(ContactConsentRow.init)
}

/// What the contacts of a person have said, by the hashes of their addresses.
struct ContactConsents: Sendable {
  private let rows: [BlindValue: ContactConsentRow]
  private let index: ContactIndex
  private let account: AccountID

  init(_ rows: [ContactConsentRow], _ index: ContactIndex, of account: AccountID) {
    self.rows = Dictionary(rows.map { ($0.contact, $0) }) { $1 }
    self.index = index
    self.account = account
  }

  private func row(of contact: EmergencyContact) -> ContactConsentRow? {
    rows[index.address(of: contact, account)]
  }

  /// What a contact has said; nil where they were not asked.
  func state(of contact: EmergencyContact) -> ContactState? { row(of: contact)?.state }

  /// Whether a contact is to be asked: they never were, or another telephone is named for them than
  /// they were asked about. A contact who has declined is not asked again.
  func mustBeAsked(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return true }
    return row.state != .declined && row.phone != index.phone(of: contact, account)
  }

  /// Whether a contact may be called by voice: they have agreed, to this telephone.
  func mayBeCalled(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return false }
    return row.state == .agreed && row.phone == index.phone(of: contact, account)
  }

  /// Whether a mail tells a contact of an emergency: always after they agreed, once before.
  func mayBeMailed(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return true }
    switch row.state {
    case .agreed: return true
    case .asked: return !row.isTold
    case .declined: return false
    }
  }
}

// MARK: Statements

/// What the contacts of a person have said. By the primary key.
struct ConsentsOfContacts: Statement {
  typealias Row = ContactConsentRow
  static let sql: SQL<Self> = """
    SELECT contact, phone, state, told_at IS NOT NULL
      FROM data4help.emergency_contacts
     WHERE account_id = \(\.account)
    """
  static let columns = ContactConsentRow.columns
  let account: AccountID
}

/// Notes that contacts are asked, by these links. A contact who has declined meanwhile stays so,
/// and the account is held.
struct AskContacts: Statement {
  static let sql: SQL<Self> = """
    WITH asked AS (
      INSERT INTO data4help.emergency_contacts AS known (
             account_id, contact, phone, state, asked_at)
      SELECT \(\.account), contact, phone, 1, \(\.now)
        FROM unnest(\(\.contacts), \(\.phones)) AS given (contact, phone)
          ON CONFLICT (account_id, contact) DO UPDATE
         SET phone = excluded.phone, state = 1, asked_at = excluded.asked_at, answered_at = NULL
       WHERE known.state <> 3
      RETURNING contact)
    INSERT INTO data4help.emergency_contact_links (token_hash, account_id, contact, issued_at)
    SELECT token_hash, \(\.account), contact, \(\.now)
      FROM unnest(\(\.contacts), \(\.tokens)) AS given (contact, token_hash)
      JOIN asked USING (contact)
    """
  let account: AccountID
  let now: WallTime
  var contacts: [BlindValue] = []
  var phones: [BlindValue] = []
  var tokens: [TokenHash] = []
}

/// Notes that contacts are told of an emergency, with a link each; one who was never asked counts
/// as asked from now on.
struct TellContacts: Statement {
  static let sql: SQL<Self> = """
    WITH told AS (
      INSERT INTO data4help.emergency_contacts AS known (
             account_id, contact, phone, state, asked_at, told_at)
      SELECT \(\.account), contact, phone, 1, \(\.now), \(\.now)
        FROM unnest(\(\.contacts), \(\.phones)) AS given (contact, phone)
          ON CONFLICT (account_id, contact) DO UPDATE
         SET told_at = excluded.told_at
      RETURNING contact)
    INSERT INTO data4help.emergency_contact_links (token_hash, account_id, contact, issued_at)
    SELECT token_hash, \(\.account), contact, \(\.now)
      FROM unnest(\(\.contacts), \(\.tokens)) AS given (contact, token_hash)
      JOIN told USING (contact)
    """
  let account: AccountID
  let now: WallTime
  var contacts: [BlindValue] = []
  var phones: [BlindValue] = []
  var tokens: [TokenHash] = []
}

/// A link that was mailed to a contact.
struct ContactLink: Sendable {
  let account: AccountID
  let contact: BlindValue
  let state: ContactState

  static let columns = Columns(ContactLink.init)
}

/// The contact of a link that was not used yet. By the primary keys.
struct StandingContactLink: Statement {
  typealias Row = ContactLink
  static let sql: SQL<Self> = """
    SELECT link.account_id, link.contact, contact.state
      FROM data4help.emergency_contact_links AS link
      JOIN data4help.emergency_contacts AS contact USING (account_id, contact)
     WHERE link.token_hash = \(\.token)
    """
  static let columns = ContactLink.columns
  let token: TokenHash
}

/// Uses a link up, and all others of its contact; no row for one that is unknown or was used. By
/// the primary keys.
struct UseContactLink: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    WITH used AS (
      DELETE FROM data4help.emergency_contact_links
       WHERE token_hash = \(\.token)
      RETURNING account_id, contact),
    others AS (
      DELETE FROM data4help.emergency_contact_links AS link
       USING used
       WHERE link.account_id = used.account_id
         AND link.contact = used.contact
         AND link.token_hash <> \(\.token))
    UPDATE data4help.emergency_contacts AS contact
       SET state = \(\.state), answered_at = \(\.now)
      FROM used
     WHERE contact.account_id = used.account_id
       AND contact.contact = used.contact
    RETURNING contact.account_id
    """
  let token: TokenHash
  let state: ContactState
  let now: WallTime
}
