import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Mails to emergency contacts (SOS-6): the one that asks whether they agree, those of emergencies,
/// and the all-clear. Each is stored, is an entry in the record of accesses, and there are only so
/// many of a person in a day (decision 0103).
struct ContactMails: Sendable {
  /// Mails to the contacts of one person in 24 hours at most, as for calls by voice.
  static let mailsADayMax: Int64 = 30
  private static let day = Duration.seconds(24 * 3600)

  let surroundings: Surroundings
  let settings: AuthenticationSettings
  let index: ContactIndex
  private let tokens: TokenAuthority

  init(_ surroundings: Surroundings, _ settings: AuthenticationSettings) {
    self.surroundings = surroundings
    self.settings = settings
    index = ContactIndex(root: surroundings.root)
    tokens = TokenAuthority(root: surroundings.root)
  }

  /// What the contacts of a person have said.
  ///
  /// - Throws: 503 if the database is unavailable.
  func consents(
    of account: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> ContactConsents {
    let rows = try await transaction.run(ConsentsOfContacts(account: account))
    return ContactConsents(rows, index, of: account)
  }

  /// How many more mails may go to the contacts of a person now.
  private func room(
    for account: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> Int {
    let since = surroundings.world.now() - Self.day
    let sent = try await transaction.runOne(ContactMailsSince(account: account, since: since))
    return Int(max(Self.mailsADayMax - (sent ?? 0), 0))
  }

  // MARK: Asking

  /// Asks the contacts of a person who were not asked yet. The person is held.
  ///
  /// - Throws: 429 where that would be too many mails in a day.
  func ask(
    _ contacts: EmergencyContacts, of account: AccountID, named name: String,
    under key: SealingKey, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    let consents = try await consents(of: account, in: transaction)
    let asked = contacts.list.filter(consents.mustBeAsked)
    guard !asked.isEmpty else { return }
    guard try await room(for: account, in: transaction) >= asked.count else {
      throw .tooManyRequests(
        "Emergency contacts get at most \(Self.mailsADayMax) mails a day because of one person",
        retryAfter: Int(Self.day.components.seconds))
    }
    let now = surroundings.world.now()
    var statement = AskContacts(account: account, now: now)
    let mails = asked.map { contact in
      let token = tokens.issue(.contact)
      statement.contacts.append(index.address(of: contact, account))
      statement.phones.append(index.phone(of: contact, account))
      statement.tokens.append(token.hash)
      return mail(
        to: contact, of: account,
        ContactTexts.question(from: name, to: contact, link: link(token)))
    }
    try await transaction.run(statement)
    let accesses = try await send(
      mails, .question, of: account, nil, telling: .none, under: key, in: transaction)
    try await AccessRecorder(root: surroundings.root).record(accesses, in: transaction)
  }

  // MARK: Emergencies

  /// Tells contacts of an emergency, as far as they may be told and there were not too many mails
  /// today: those who have agreed first. The account is held. Returns what the record of accesses
  /// is to hold.
  func tell(
    _ contacts: EmergencyContacts, of message: EmergencyMessage, _ locale: ReaderLocale,
    under key: SealingKey, in transaction: Transaction<Problem>
  ) async throws(Problem) -> [AccessedData] {
    let account = message.row.account
    let consents = try await consents(of: account, in: transaction)
    let allowed = contacts.list.filter(consents.mayBeMailed)
    let agreed = allowed.filter { consents.state(of: $0) == .agreed }
    let told =
      (agreed + allowed.filter { consents.state(of: $0) != .agreed })
      .prefix(try await room(for: account, in: transaction))
    if told.count < allowed.count {
      surroundings.log.warning(
        "mails to emergency contacts reached the limit of a day",
        [.number("contacts", allowed.count - told.count)])
    }
    guard !told.isEmpty else { return [] }
    let now = surroundings.world.now()
    let texts = ContactTexts(
      message: message, municipality: try await municipality(near: message, in: transaction),
      locale: locale, now: now.timestamp)
    var statement = TellContacts(account: account, now: now)
    let mails = told.map { contact in
      let token = tokens.issue(.contact)
      statement.contacts.append(index.address(of: contact, account))
      statement.phones.append(index.phone(of: contact, account))
      statement.tokens.append(token.hash)
      return mail(
        to: contact, of: account,
        texts.emergency(hasAgreed: consents.state(of: contact) == .agreed, link: link(token)))
    }
    try await transaction.run(statement)
    return try await send(
      mails, .emergency, of: account, message.row.id,
      telling: message.details.position == nil ? .none : DataTypeSet([.position]), under: key,
      in: transaction)
  }

  private func municipality(
    near message: EmergencyMessage, in transaction: Transaction<Problem>
  ) async throws(Problem) -> String? {
    guard let point = message.details.position?.point else { return nil }
    return try await transaction.runOne(NearestMunicipality(to: point))
  }

  /// Tells the contacts who were told of an emergency that it is over, as far as there were not too
  /// many mails today. Returns what the record of accesses is to hold.
  func tellOver(
    _ row: EmergencyRow, _ text: ContactText, under key: SealingKey,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> [AccessedData] {
    let told = try await transaction.run(ContactsTold(episode: row.id))
      .prefix(try await room(for: row.account, in: transaction))
    var mails: [ContactMail] = []
    for contact in told {
      let (name, address) = try intact { () throws(PrivacyError) in
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
      mails, .allClear, of: row.account, row.id, telling: .none, under: key, in: transaction)
  }

  // MARK: Sending

  private func mail(
    to contact: EmergencyContact, of account: AccountID, _ text: ContactText
  ) -> ContactMail {
    ContactMail(
      name: contact.name.text, address: contact.email.text,
      contact: index.address(of: contact, account), text: text)
  }

  private func link(_ token: IssuedToken) -> String {
    "\(settings.publicURL)/sos/contact?token=\(token.text)"
  }

  /// Queues mails and enters each. Returns what the record of accesses is to hold; `types` are the
  /// data types that the mails tell.
  private func send(
    _ mails: [ContactMail], _ kind: ContactMailKind, of account: AccountID,
    _ episode: UniversalID?, telling types: DataTypeSet, under key: SealingKey,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> [AccessedData] {
    let now = surroundings.world.now()
    var entry = EnterContactMails(account: account, episode: episode, kind: kind, now: now)
    var queued: [(MailMessage, of: MailTies)] = []
    for mail in mails {
      guard let address = MailAddress(mail.address) else { continue }
      let message = MailMessage(
        from: settings.sender, to: address, subject: mail.text.subject, text: mail.text.text,
        world: surroundings.world)
      queued.append((message, of: MailTies(account)))
      let id = UniversalID.random()
      entry.ids.append(id)
      entry.contacts.append(mail.contact)
      entry.names.append(key.seal(mail.name, for: ContactMailRow.context(id)))
      entry.addresses.append(key.seal(mail.address, for: ContactMailRow.addressContext(id)))
    }
    guard !queued.isEmpty else { return [] }
    try await transaction.run(entry)
    try await surroundings.mails.enqueue(queued, in: transaction)
    return entry.ids.map { id in
      AccessedData(account, id, to: .noAccount, .mail, types, count: types.count, at: now)
    }
  }
}

/// A mail to a contact before it is queued.
private struct ContactMail {
  let name: String
  let address: String
  /// The hash by which the contact is known.
  let contact: BlindValue
  let text: ContactText
}
