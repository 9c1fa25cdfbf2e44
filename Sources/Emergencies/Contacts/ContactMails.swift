import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing
import Time

/// Mails to emergency contacts (SOS-6): the one that asks whether they agree, those of emergencies,
/// and the all-clear. Each is stored and is an entry in the record of accesses; their number per
/// person and day is limited (decision 0027).
struct ContactMails: Sendable {
  /// The most mails to the contacts of one person in 24 hours, as for voice calls.
  static let mailsADayMax: Int64 = 30
  /// The most questions among them, and the most all-clears: neither uses up the allowance for
  /// emergencies.
  static let otherMailsADayMax: Int64 = 10
  private static let day = Duration.seconds(24 * 3600)

  let environment: Environment
  let root: RootSecret
  let mailQueue: MailQueue
  let log: Log
  let settings: AuthenticationSettings
  let index: ContactIndex
  private let tokens: TokenAuthority

  init(
    environment: Environment, root: RootSecret, mailQueue: MailQueue, log: Log,
    _ settings: AuthenticationSettings
  ) {
    self.environment = environment
    self.root = root
    self.mailQueue = mailQueue
    self.log = log
    self.settings = settings
    index = ContactIndex(root: root)
    tokens = TokenAuthority(root: root)
  }

  /// The answers of a person's contacts.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func consents(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ContactConsents {
    let rows = try await transaction.run(ConsentsOfContacts(account: account))
    return ContactConsents(rows, index, of: account)
  }

  /// The number of mails of a kind that may still be sent to a person's contacts within the daily
  /// limits.
  private func room(
    for kind: ContactMailKind, of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int {
    let since = environment.now() - Self.day
    let statement = ContactMailsSince(account: account, since: since, kind: kind)
    let sent = try await transaction.runOne(statement)
    let ofAll = Self.mailsADayMax - (sent?.ofAll ?? 0)
    let ofKind = Self.otherMailsADayMax - (sent?.ofKind ?? 0)
    return Int(max(kind == .emergency ? ofAll : min(ofAll, ofKind), 0))
  }

  // MARK: Asking

  /// Asks the contacts of a person who have not been asked yet. Returns the contacts who can't be
  /// asked today, because all accounts together asked their address too often. The account is
  /// locked.
  ///
  /// - Throws: `rateLimited` if that would be too many mails in a day.
  func ask(
    _ contacts: EmergencyContacts, of account: AccountID, named name: String,
    under key: SealingKey, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [EmergencyContact] {
    let consents = try await consents(of: account, in: transaction)
    let unasked = contacts.list.filter(consents.mustBeAsked)
    guard !unasked.isEmpty else { return [] }
    let now = environment.now()
    let asked = try await ContactQuestions(index: index).admit(
      unasked, of: account, at: now, in: transaction)
    guard !asked.isEmpty else { return unasked }
    guard try await room(for: .question, of: account, in: transaction) >= asked.count else {
      throw .rateLimited(
        "Emergency contacts receive at most \(Self.mailsADayMax) mails a day about one person, "
          + "\(Self.otherMailsADayMax) of them requests for consent",
        retryAfter: Int(Self.day.components.seconds))
    }
    var links = NewContactLinks()
    let mails = asked.map { contact in
      let link = addLink(to: &links, for: contact, of: account)
      return mail(
        to: contact, of: account, ContactTexts.question(from: name, to: contact, link: link))
    }
    try await transaction.run(AskContacts(account: account, now: now, links: links))
    let accesses = try await send(
      mails, .question, of: account, nil, disclosing: .none, under: key, in: transaction)
    try await AccessRecorder(root: root).record(accesses, in: transaction)
    return unasked.filter { contact in !asked.contains(contact) }
  }

  // MARK: Emergencies

  /// Mails contacts about an emergency, as far as their answers and the daily limit allow; contacts
  /// who have agreed come first. The account is locked. Returns the entries for the access record.
  func notify(
    _ contacts: EmergencyContacts, of message: EmergencyMessage, _ locale: ReaderLocale,
    under key: SealingKey, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    let account = message.row.account
    let consents = try await consents(of: account, in: transaction)
    let allowed = contacts.list.filter(consents.mayBeMailed)
    let agreed = allowed.filter { consents.state(of: $0) == .agreed }
    let notified =
      (agreed + allowed.filter { consents.state(of: $0) != .agreed })
      .prefix(try await room(for: .emergency, of: account, in: transaction))
    if notified.count < allowed.count {
      log.warning(
        "limit of mails to emergency contacts reached",
        [.safe("emergency", message.row.id), .number("contacts", allowed.count - notified.count)])
    }
    guard !notified.isEmpty else { return [] }
    let now = environment.now()
    let texts = ContactTexts(
      message: message, municipality: try await municipality(near: message, in: transaction),
      locale: locale, now: now.flooredToMilliseconds)
    var links = NewContactLinks()
    let mails = notified.map { contact in
      let link = addLink(to: &links, for: contact, of: account)
      return mail(
        to: contact, of: account,
        texts.emergency(
          to: contact, hasAgreed: consents.state(of: contact) == .agreed, link: link))
    }
    try await transaction.run(NotifyContacts(account: account, now: now, links: links))
    return try await send(
      mails, .emergency, of: account, message.row.id,
      disclosing: message.typesOfShortMessage, under: key, in: transaction)
  }

  private func municipality(
    near message: EmergencyMessage, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> String? {
    guard let point = message.details.position?.point else { return nil }
    return try await transaction.runOne(NearestMunicipality(to: point))
  }

  /// Mails the end of an emergency to the contacts who were mailed about it, as far as the daily
  /// limit allows. Returns the entries for the access record.
  func notifyOfEnd(
    _ row: EmergencyRow, _ text: ContactText, under key: SealingKey,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    let notified = try await transaction.run(NotifiedContacts(emergency: row.id))
      .prefix(try await room(for: .allClear, of: row.account, in: transaction))
    var mails: [ContactMail] = []
    for contact in notified {
      let (name, address) = try mapStorageError { () throws(CryptographyError) in
        (
          try key.openText(contact.sealedName.span, for: ContactMailRow.context(contact.mail)),
          try key.openText(
            contact.sealedAddress.span, for: ContactMailRow.addressContext(contact.mail))
        )
      }
      mails.append(
        ContactMail(name: name, address: address, contact: contact.contact, text: text))
    }
    return try await send(
      mails, .allClear, of: row.account, row.id, disclosing: .none, under: key, in: transaction)
  }

  // MARK: Sending

  private func mail(
    to contact: EmergencyContact, of account: AccountID, _ text: ContactText
  ) -> ContactMail {
    ContactMail(
      name: contact.name.text, address: contact.email.text,
      contact: index.address(of: contact, account), text: text)
  }

  /// Issues a token for a contact; returns the address of its page.
  private func addLink(
    to links: inout NewContactLinks, for contact: EmergencyContact, of account: AccountID
  ) -> String {
    let token = tokens.issue(.contact)
    links.append(index.address(of: contact, account), index.phone(of: contact, account), token.hash)
    return "\(settings.publicURL)/sos/contact?token=\(token.text)"
  }

  /// Queues and stores mails. Returns the entries for the access record; `types` are the data types
  /// that the mails contain.
  private func send(
    _ mails: [ContactMail], _ kind: ContactMailKind, of account: AccountID,
    _ emergency: UniversalID?, disclosing types: DataTypeSet, under key: SealingKey,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    let now = environment.now()
    var entry = EnterContactMails(account: account, emergency: emergency, kind: kind, now: now)
    var queued: [(MailMessage, of: MailOwner)] = []
    // Lists order simultaneous mails by identifier, so ordered identifiers keep the order of the
    // contacts.
    let ids = mails.map { _ in UniversalID.random() }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    for (id, mail) in zip(ids, mails) {
      guard let address = MailAddress(mail.address) else { continue }
      let message = MailMessage(
        from: settings.sender, to: address, subject: mail.text.subject, text: mail.text.text,
        environment: environment)
      queued.append((message, of: MailOwner(account)))
      entry.ids.append(id)
      entry.contacts.append(mail.contact)
      entry.names.append(key.seal(mail.name, for: ContactMailRow.context(id)))
      entry.addresses.append(key.seal(mail.address, for: ContactMailRow.addressContext(id)))
    }
    guard !queued.isEmpty else { return [] }
    try await transaction.run(entry)
    try await mailQueue.enqueue(queued, in: transaction)
    return entry.ids.map { id in
      AccessedData(account, id, to: .noAccount, .mail, types, count: types.count, at: now)
    }
  }
}

/// A mail to a contact before it is queued.
private struct ContactMail {
  let name: String
  let address: String
  /// The hash that identifies the contact.
  let contact: BlindValue
  let text: ContactText
}
