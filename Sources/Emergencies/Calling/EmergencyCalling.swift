import Accounts
import AutomatedSOS
import Bytes
import Cryptography
import Domain
import EventLoop
import HealthRecords
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Time

/// Calls for help: the nearest hospital on duty that has not been called yet, else the emergency
/// number by voice, repeatedly (SOS-5). Notifies all recipients when the call is over (SOS-4).
struct EmergencyCalling: Sendable {
  /// How often an emergency checks whether the call for another one of its person is over. Each
  /// check postpones its row by this time, so that other due emergencies do not queue behind it.
  static let turnPause = Duration.seconds(1)
  /// A call adds the vital signs that were stored within this time before it, in milliseconds.
  /// Earlier ones came with the transitions of the emergency, or with the previous call.
  private static let recently: Int64 = 600_000
  /// The number of calls for one emergency at the short interval.
  private static let quickCallsMax = 20

  let dependencies: EmergenciesDependencies
  let store: EmergencyStore
  let directory: AccountDirectory
  let mails: EmergencyMails
  let contactMails: ContactMails
  let accesses: AccessRecorder
  let voice: any EmergencyVoice
  /// Calls emergency contacts; nil if they are notified by mail only (SOS-6).
  let contactVoice: (any EmergencyVoice)?
  let activeCalls: ActiveCalls

  /// The data that a call needs before its transaction.
  struct Preparation {
    let key: SealingKey
    let profile: ProfileRow
    let newestPosition: KnownPosition?
    /// The stored vital signs of the last minutes.
    let vitalSigns: [EmergencyReading]
    let contacts: EmergencyContacts
    /// The language for other people, and the person's time zone.
    let locale: ReaderLocale

    var language: EmergencyLanguage { locale.language }
  }

  /// The work that a transaction leaves until its commit.
  private struct Placed {
    var toNumber: VoiceCall?
    var toContacts: [ContactCall] = []
    /// When the next call is due.
    var dueAt: Instant?
  }

  /// Calls the next recipient for an emergency that is due; returns whether it did. Places no call
  /// if `isOffline` is true when the database answers: this process then continues the emergency
  /// offline.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func call(
    _ id: UniversalID, of account: AccountID, unless isOffline: () -> Bool
  ) async throws(ApplicationError) -> Bool {
    let preparation = try await prepare(account)
    let placed = try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: store.settings.transactionMax
    ) { (transaction) throws(ApplicationError) -> Placed? in
      let placed = try await place(
        id, of: account, preparation, unless: isOffline, in: transaction)
      if placed != nil, isOffline() { throw .unavailable() }
      return placed
    }
    guard let placed else { return false }
    dependencies.notices.announce()
    dependencies.events.announce()
    dependencies.mailQueue.announce()
    if let call = placed.toNumber { begin(call, of: account, dueAt: placed.dueAt) }
    for call in placed.toContacts {
      dependencies.loop.begin { await callContact(call, of: account) }
    }
    return true
  }

  func prepare(_ account: AccountID) async throws(ApplicationError) -> Preparation {
    let key = try await dependencies.accountKeys.key(of: account)
    guard
      let profile = try await dependencies.database.row(
        StoredProfile(account: account, kind: .singleUser)),
      let monitored = try await dependencies.database.row(MonitoredUser(account: account))
    else { throw .notFound }
    let sealed = try await dependencies.database.row(ContactsOf(account: account))
    let now = dependencies.environment.now().flooredToMilliseconds
    let vitalSigns = try await StoredVitalSigns(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, zone: dependencies.zone, log: dependencies.log
    ).readings(
      of: account, from: now.adding(milliseconds: -Self.recently),
      to: now.adding(milliseconds: 1), under: key)
    return Preparation(
      key: key, profile: profile, newestPosition: try await newestPosition(of: account, key),
      vitalSigns: vitalSigns,
      contacts: try EmergencyContacts(sealed: sealed, of: account, under: key),
      locale: dependencies.locales.locale(profile.locale).with(monitored.language))
  }

  /// The newest stored position, which may have arrived at another replica.
  private func newestPosition(
    of account: AccountID, _ key: SealingKey
  ) async throws(ApplicationError) -> KnownPosition? {
    let row = try await dependencies.database.row(NewestPositionChunk(account: account))
    guard let row else { return nil }
    let chunk = ChunkKey(account: account, type: .position, day: row.day, part: row.part)
    let samples = try mapStorageError { () throws(SampleStoreError) in
      try SealedBlocks.samples(in: row.data, of: chunk, with: key)
    }
    guard let newest = samples.max(by: { $0.time < $1.time }),
      case .position(let point) = newest.value
    else { return nil }
    return KnownPosition(point: point, time: newest.time)
  }

  private func place(
    _ id: UniversalID, of account: AccountID, _ preparation: Preparation,
    unless isOffline: () -> Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Placed? {
    let candidates = try await dependencies.database.rows(
      HospitalsToCall(id: id, areAllAdmitted: store.settings.areAllAdmitted))
    // They are notified if this is the end.
    let called = try await dependencies.database.rows(CallsOf(ids: [id])).compactMap(\.hospital)
    let (held, found) = try await transaction.run(
      HoldAccounts(accounts: [account] + candidates.map(\.account) + called),
      LockEmergency(id: id))
    let now = dependencies.environment.now()
    guard !isOffline(), var row = found.first, row.isCallDue(at: now) else { return nil }
    let from = row.stage
    if row.isCallingOver(at: now) {
      return try await giveUp(row, from: from, in: transaction)
    }
    var details = try EmergencyDetails(row, under: preparation.key)
    details.note(preparation.newestPosition)
    details.add(preparation.vitalSigns, since: row.firstCritical)
    row.sealedDetails = details.sealed(for: id, under: preparation.key)
    let earlier = try await transaction.run(CallsOf(ids: [id]))
    // Another replica may have called one of them before this one had the lock.
    let present = candidates.filter { candidate in
      held.contains(candidate.account) && !earlier.contains { $0.hospital == candidate.account }
    }
    let hospital = present.nearest(to: details.position)?.account
    if hospital == nil, activeCalls.isNumberCalled(for: account) {
      row.waitForTurn(until: now + Self.turnPause)
      _ = try await store.store(row, from: from, isNotified: false, in: transaction)
      return nil
    }
    let number = try await transaction.runOne(
      EnterCall(id: id, hospital: hospital, isVoice: hospital == nil, now: now))
    row.call(at: now, acknowledgeWithin: Self.pause(after: number ?? 1, store.settings))
    let message = try EmergencyMessage(row, preparation.profile, under: preparation.key)
    var entries = try await notify(
      hospital, message, preparation, isFirst: from == .confirmed, in: transaction)
    // A repeated call to the emergency number causes no notice: it would be a mail every half
    // minute.
    let isRepeated = hospital == nil && earlier.contains { $0.isVoice }
    guard try await store.store(row, from: from, isNotified: !isRepeated, in: transaction) else {
      return nil
    }
    let placed = try await spoken(
      message, hospital == nil ? number : nil,
      to: from == .confirmed ? preparation.contacts : .none, preparation, in: transaction)
    if placed.toNumber != nil {
      entries.append(AccessedData(message, id, .voice, namesRule: true, at: now))
    }
    entries += placed.toContacts.compactMap { call in
      call.record.map { AccessedData(message, $0, .voice, namesRule: false, at: now) }
    }
    try await accesses.record(entries, in: transaction)
    return placed
  }

  /// The voice calls of a call for help: to the emergency number if it has that `number`, and to
  /// the contacts with a telephone, if a voice for them is configured.
  private func spoken(
    _ message: EmergencyMessage, _ number: Int32?, to contacts: EmergencyContacts,
    _ preparation: Preparation, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Placed {
    guard number != nil || (contactVoice != nil && !contacts.list.isEmpty) else {
      return Placed(dueAt: message.row.dueAt)
    }
    let sentence = try await sentence(of: message, preparation.language, in: transaction)
    let toContacts = try await contactCalls(
      sentence, to: contacts, in: preparation.locale.zone, under: preparation.key, in: transaction)
    return Placed(
      toNumber: number.map { voiceCall(sentence, $0) }, toContacts: toContacts,
      dueAt: message.row.dueAt)
  }

  /// The time to acknowledge a call: after twenty calls without an answer, ten times as long.
  static func pause(after number: Int32, _ settings: EmergencySettings) -> Duration {
    let seconds = settings.acknowledgeSeconds
    return .seconds(number <= quickCallsMax ? seconds : 10 * seconds)
  }

  /// Ends an emergency after a day without an answer. Notifies the person and the called hospitals,
  /// but no contacts.
  private func giveUp(
    _ row: EmergencyRow, from stage: EmergencyStage, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Placed? {
    var row = row
    let now = dependencies.environment.now()
    row.close(.unanswered, nil, at: now)
    try await end(row, .unanswered, except: nil, in: transaction)
    return try await store.store(row, from: stage, in: transaction) ? Placed() : nil
  }

  /// Adds the call to the hospital's sequence and queues the mails: to the hospital, and to the
  /// contacts with the first call. Returns the entries for the access record.
  func notify(
    _ hospital: AccountID?, _ message: EmergencyMessage, _ preparation: Preparation,
    isFirst: Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    let now = dependencies.environment.now()
    var entries: [AccessedData] = []
    if isFirst {
      entries = try await contactMails.notify(
        preparation.contacts, of: message, preparation.locale, under: preparation.key,
        in: transaction)
    }
    guard let hospital else { return entries }
    if let known = try await directory.thirdParties([hospital])[hospital],
      let mail = mails.hospital(message, to: known.email, at: now.flooredToMilliseconds)
    {
      try await dependencies.mailQueue.enqueue([mail], in: transaction)
      entries.append(AccessedData(message, to: hospital, .mail, at: now))
    }
    try await transaction.run(
      EnterEmergencyEvents(
        id: message.row.id, hospitals: [hospital], kind: .emergencyCalled, reason: nil, now: now),
      PushHospitalCall(hospital: hospital, now: now))
    return entries
  }

  /// Notifies the hospitals that were called for an emergency, except one, that their call is over.
  func end(
    _ row: EmergencyRow, _ reason: EmergencyEnd, except hospital: AccountID?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let calls = try await transaction.run(CallsOf(ids: [row.id]))
    let others = Set(calls.compactMap(\.hospital)).subtracting([hospital].compactMap(\.self))
    guard !others.isEmpty else { return }
    try await transaction.run(
      EnterEmergencyEvents(
        id: row.id, hospitals: others.sorted(), kind: .emergencyClosed, reason: reason,
        now: dependencies.environment.now()))
  }

  /// Queues the all-clear for all recipients of mails: contacts, and hospitals that were called
  /// (SOS-4). Returns the entries for the access record.
  func mailAllClear(
    _ row: EmergencyRow, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    let preparation = try await prepare(row.account)
    let message = try EmergencyMessage(row, preparation.profile, under: preparation.key)
    let now = dependencies.environment.now()
    let text = mails.over(row, message.name, preparation.locale, at: now.flooredToMilliseconds)
    var entries = try await contactMails.notifyOfEnd(
      row, text, under: preparation.key, in: transaction)
    let calls = try await transaction.run(CallsOf(ids: [row.id]))
    let hospitals = try await directory.thirdParties(Set(calls.compactMap(\.hospital)))
    let notified = hospitals.sorted { $0.key < $1.key }.compactMap { (account, known) in
      mails.mail(known.email, text, of: row.account).map { (account, $0) }
    }
    try await dependencies.mailQueue.enqueue(notified.map(\.1), in: transaction)
    entries += notified.map { AccessedData(row.account, row.id, to: $0.0, .mail, at: now) }
    return entries
  }
}
