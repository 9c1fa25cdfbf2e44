import Cryptography
import Domain
import Postgres
import Time

/// The answer of an emergency contact; the raw value is that of the column.
enum ContactState: Int16, PostgresValue, CaseIterable {
  /// Asked by a mail, not answered yet.
  case asked = 1
  /// They are notified of emergencies.
  case agreed = 2
  /// They receive nothing more from this person.
  case declined = 3

  /// The name in the API.
  var apiName: String {
    switch self {
    case .asked: "asked"
    case .agreed: "agreed"
    case .declined: "declined"
    }
  }
}

/// Keyed hashes that identify an emergency contact of a person and the contact's telephone without
/// storing either in clear. They include the person's account, so that two people with the same
/// contact have different hashes; only the hash that counts mails to an address does not.
struct ContactIndex: Sendable {
  private let index: BlindIndex

  init(root: RootSecret) { index = BlindIndex(.emergencyContact, root: root) }

  /// The hash of the address.
  func address(of contact: EmergencyContact, _ account: AccountID) -> BlindValue {
    index.value(of: "\(account.rawValue) \(contact.email.text)")
  }

  /// The hash of the telephone, or of a missing one.
  func phone(of contact: EmergencyContact, _ account: AccountID) -> BlindValue {
    index.value(of: "\(account.rawValue) phone \(contact.phone?.text ?? "")")
  }

  /// The hash of the address, the same for all accounts.
  func receiver(_ contact: EmergencyContact) -> BlindValue {
    index.value(of: "receiver \(contact.email.text)")
  }
}

/// The stored answer of a person's contact.
struct ContactConsentRow: Sendable {
  let contact: BlindValue
  /// The telephone that the question named.
  let phone: BlindValue
  let state: ContactState
  /// Whether an emergency was mailed to them before they agreed.
  let isNotified: Bool

  static let columns = Columns(ContactConsentRow.init)
}

/// The answers of a person's contacts, by the hashes of their addresses.
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

  /// The answer of a contact; nil if the contact was not asked.
  func state(of contact: EmergencyContact) -> ContactState? { row(of: contact)?.state }

  /// The answer of a contact for the telephone in the list; nil if the contact was not asked about
  /// it.
  func stateOfList(of contact: EmergencyContact) -> ContactState? {
    mustBeAsked(contact) ? nil : state(of: contact)
  }

  /// Whether a contact must be asked: the contact was never asked, or the telephone has changed
  /// since. Contacts who have declined are never asked again.
  func mustBeAsked(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return true }
    return row.state != .declined && row.phone != index.phone(of: contact, account)
  }

  /// Whether a contact may be called by voice: the contact has agreed, for this telephone.
  func mayBeCalled(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return false }
    return row.state == .agreed && row.phone == index.phone(of: contact, account)
  }

  /// Whether an emergency is mailed to a contact: always after the agreement, once before.
  func mayBeMailed(_ contact: EmergencyContact) -> Bool {
    guard let row = row(of: contact) else { return true }
    switch row.state {
    case .agreed: return true
    case .asked: return !row.isNotified
    case .declined: return false
    }
  }
}

// MARK: Statements

/// The answers of a person's contacts. By the primary key.
struct ConsentsOfContacts: Statement {
  typealias Row = ContactConsentRow
  static let sql: SQL<Self> = """
    SELECT contact, phone, state, notified_at IS NOT NULL
      FROM data4help.emergency_contacts
     WHERE account_id = \(\.account)
    """
  static let columns = ContactConsentRow.columns
  let account: AccountID
}

/// Contacts of a person with their telephones and a new link each.
struct NewContactLinks: Sendable {
  private(set) var contacts: [BlindValue] = []
  private(set) var phones: [BlindValue] = []
  private(set) var tokens: [TokenHash] = []

  mutating func append(_ contact: BlindValue, _ phone: BlindValue, _ token: TokenHash) {
    contacts.append(contact)
    phones.append(phone)
    tokens.append(token)
  }
}

/// Stores that contacts were asked, with a link each. Contacts who have declined are left out. A
/// contact who had agreed, and is asked because of another telephone, may be mailed about one more
/// emergency before the answer. Earlier links stay, and can only decline if they are about another
/// telephone. The account is locked.
struct AskContacts: Statement {
  static let sql: SQL<Self> = """
    WITH asked AS (
      INSERT INTO data4help.emergency_contacts AS known (
             account_id, contact, phone, state, asked_at)
      SELECT \(\.account), contact, phone, 1, \(\.now)
        FROM unnest(\(\.links.contacts), \(\.links.phones)) AS given (contact, phone)
          ON CONFLICT (account_id, contact) DO UPDATE
         SET phone = excluded.phone, state = 1, asked_at = excluded.asked_at, answered_at = NULL,
             notified_at = CASE WHEN known.state = 1 THEN known.notified_at END
       WHERE known.state <> 3
      RETURNING contact)
    INSERT INTO data4help.emergency_contact_links (
           token_hash, account_id, contact, phone, issued_at)
    SELECT given.token_hash, \(\.account), given.contact, given.phone, \(\.now)
      FROM unnest(\(\.links.contacts), \(\.links.phones), \(\.links.tokens))
             AS given (contact, phone, token_hash)
      JOIN asked ON asked.contact = given.contact
    """
  let account: AccountID
  let now: Instant
  let links: NewContactLinks
}

/// Stores the notification of contacts about an emergency, with a link each. Contacts without a row
/// count as asked from now on. The links of contacts who have agreed only decline, since the mails
/// name no telephone.
struct NotifyContacts: Statement {
  static let sql: SQL<Self> = """
    WITH told AS (
      INSERT INTO data4help.emergency_contacts AS known (
             account_id, contact, phone, state, asked_at, notified_at)
      SELECT \(\.account), contact, phone, 1, \(\.now), \(\.now)
        FROM unnest(\(\.links.contacts), \(\.links.phones)) AS given (contact, phone)
          ON CONFLICT (account_id, contact) DO UPDATE
         SET notified_at = excluded.notified_at
      RETURNING contact, state)
    INSERT INTO data4help.emergency_contact_links (
           token_hash, account_id, contact, phone, issued_at)
    SELECT given.token_hash, \(\.account), given.contact,
           CASE WHEN told.state = 1 THEN given.phone END, \(\.now)
      FROM unnest(\(\.links.contacts), \(\.links.phones), \(\.links.tokens))
             AS given (contact, phone, token_hash)
      JOIN told ON told.contact = given.contact
    """
  let account: AccountID
  let now: Instant
  let links: NewContactLinks
}

/// A link that was mailed to a contact, and the data that determines its use.
struct ContactLink: Sendable {
  let account: AccountID
  let contact: BlindValue
  /// The telephone that the mail named, or that there is none; nil: the link can only decline.
  let phone: BlindValue?
  let state: ContactState
  /// Whether AutomatedSOS is on.
  let isMonitored: Bool
  /// The person's list of contacts.
  let sealedContacts: [UInt8]?

  static let columns = Columns(ContactLink.init)
}

/// The contact of a link that has not been used yet. By the primary keys.
struct StandingContactLink: Statement {
  typealias Row = ContactLink
  static let sql: SQL<Self> = """
    SELECT link.account_id, link.contact, link.phone, contact.state,
           monitored.permitted_at IS NOT NULL, monitored.sealed_contacts
      FROM data4help.emergency_contact_links AS link
      JOIN data4help.emergency_contacts AS contact
        ON contact.account_id = link.account_id
       AND contact.contact = link.contact
      JOIN data4help.monitored_users AS monitored
        ON monitored.account_id = link.account_id
     WHERE link.token_hash = \(\.token)
    """
  static let columns = ContactLink.columns
  let token: TokenHash
}

/// Deletes a link and all others of its contact, and stores the contact's answer; no row for an
/// unknown or used link. An agreement is stored with the telephone that the link is about, so that
/// it holds for no other one, whatever is stored meanwhile. By the primary keys.
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
       SET state = \(\.state), answered_at = \(\.now),
           phone = coalesce(\(\.phone), contact.phone)
      FROM used
     WHERE contact.account_id = used.account_id
       AND contact.contact = used.contact
    RETURNING contact.account_id
    """
  let token: TokenHash
  let state: ContactState
  /// The telephone of the link, for an agreement; nil for a refusal.
  let phone: BlindValue?
  let now: Instant
}
