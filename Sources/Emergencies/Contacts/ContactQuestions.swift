import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

// Limits of questions to contacts (SOS-6, decision 0027). Mails of emergencies do not count here.

/// Limits the mails that ask contacts for agreement: of one person to a contact, and of all
/// accounts together to an address.
package struct ContactQuestions: Sendable {
  /// The most questions of one person to a contact in 24 hours.
  static let toContactMax: Int64 = 2
  /// The most questions of all accounts to an address in 24 hours.
  static let toReceiverMax: Int64 = 5
  private static let day = Duration.seconds(24 * 3600)

  let index: ContactIndex

  /// Counts a question to each of these contacts, and returns the contacts who may be asked. The
  /// row of changes of monitoring is locked, so that no two accounts count at the same time.
  ///
  /// - Throws: `rateLimited` if the person has asked one of them too often.
  func admit(
    _ contacts: [EmergencyContact], of account: AccountID, at now: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [EmergencyContact] {
    let since = now - Self.day
    let asked = try await transaction.run(
      ContactsAskedOften(account: account, since: since, countMax: Self.toContactMax))
    for contact in contacts where asked.contains(index.address(of: contact, account)) {
      throw .rateLimited(
        "A contact is asked at most \(Self.toContactMax) times a day, and an address of this list "
          + "has reached that limit; nothing was changed",
        retryAfter: Int(Self.day.components.seconds))
    }
    let admitted = try await transaction.run(
      CountContactQuestions(
        receivers: contacts.map(index.receiver), now: now, since: since,
        countMax: Self.toReceiverMax))
    return contacts.filter { admitted.contains(index.receiver($0)) }
  }

  /// Deletes questions that no longer count.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package static func forget(in database: Database, environment: Environment)
    async throws(ApplicationError)
  {
    let before = environment.now() - day
    _ = try await database.effect(ForgetContactQuestions(before: before))
  }
}

/// The contacts whom a person has asked `countMax` times or more since a time. By the index on the
/// account.
struct ContactsAskedOften: Statement {
  typealias Row = BlindValue
  static let sql: SQL<Self> = """
    SELECT contact
      FROM data4help.emergency_contact_mails
     WHERE account_id = \(\.account)
       AND kind = 1
       AND queued_at > \(\.since)
     GROUP BY contact
    HAVING count(*) >= \(\.countMax)
    """
  let account: AccountID
  let since: Instant
  let countMax: Int64
}

/// Counts questions to addresses, and returns the addresses with few enough since a time. By the
/// index on the address.
struct CountContactQuestions: Statement {
  typealias Row = BlindValue
  static let sql: SQL<Self> = """
    INSERT INTO data4help.contact_questions (receiver, asked_at)
    SELECT given.receiver, \(\.now)
      FROM unnest(\(\.receivers)) AS given (receiver)
     WHERE (SELECT count(*)
              FROM data4help.contact_questions AS earlier
             WHERE earlier.receiver = given.receiver
               AND earlier.asked_at > \(\.since)) < \(\.countMax)
    RETURNING receiver
    """
  let receivers: [BlindValue]
  let now: Instant
  let since: Instant
  let countMax: Int64
}

/// Deletes questions to addresses that were counted before a time. By the index on the time.
struct ForgetContactQuestions: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.contact_questions WHERE asked_at <= \(\.before)
    """
  let before: Instant
}
