import Accounts
import AutomatedSOS
import Bytes
import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Time

// Voice calls to emergency contacts (SOS-6): each attempt is stored, and their number for each
// person and day is limited (decision 0026).

extension EmergencyCalling {
  /// The most calls to a contact for one emergency.
  private static let attemptsMax: Int32 = 3
  /// The pause between two calls to a contact.
  private static let attemptsPause = Duration.seconds(30)
  /// How often a queued call checks whether others of the same person are over.
  private static let lookPause = Duration.milliseconds(200)
  /// The most calls to the contacts of one person in 24 hours: enough for one emergency with the
  /// greatest number of contacts and of calls to each.
  private static let callsADayMax = Int64(EmergencyContact.countMax) * Int64(attemptsMax)
  private static let day = Duration.seconds(24 * 3600)

  /// Stores the first calls to the contacts who have agreed and have a telephone that may be
  /// called, up to the daily limit; with date and time in a zone. The account is locked.
  func contactCalls(
    _ sentence: VoiceSentence, to contacts: EmergencyContacts, in zone: TimeZoneRules,
    under key: SealingKey, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [ContactCall] {
    guard contactVoice != nil else { return [] }
    let spoken = sentence.forContact(in: zone)
    let row = sentence.message.row
    let consents = try await contactMails.consents(of: row.account, in: transaction)
    let calls = contacts.list.filter(consents.mayBeCalled).compactMap { contact in
      contact.callablePhone.map { phone in
        ContactCall(
          name: contact.name.text, record: .random(),
          call: VoiceCall(
            id: row.id, number: 1, contact: phone, sentence: spoken, language: sentence.language,
            ringsFor: ringsFor))
      }
    }
    guard !calls.isEmpty else { return [] }
    let rows: [UniversalID] = try await transaction.run(
      entry(of: calls, row.account, under: key))
    let entered = Set(rows)
    if entered.count < calls.count {
      dependencies.log.warning(
        "limit of calls to emergency contacts reached",
        [.safe("emergency", row.id), .number("contacts", calls.count - entered.count)])
    }
    return calls.filter { call in call.record.map { entered.contains($0) } ?? false }
  }

  private func entry(
    of calls: [ContactCall], _ account: AccountID, under key: SealingKey
  ) -> EnterContactCalls {
    let now = dependencies.environment.now()
    var entry = EnterContactCalls(
      account: account, since: now - Self.day, countMax: Self.callsADayMax, now: now)
    for call in calls {
      guard let record = call.record else { continue }
      entry.ids.append(record)
      entry.emergencies.append(call.call.id)
      entry.names.append(key.seal(call.name, for: ContactCallRow.context(record)))
    }
    return entry
  }

  /// Calls until the message is heard, the emergency is over, or all attempts are used.
  func callContact(_ first: ContactCall, of account: AccountID) async {
    guard let contactVoice else { return }
    var present = first
    for number in 1...Self.attemptsMax {
      let outcome = await place(first.call.attempt(number), of: account, over: contactVoice)
      await note(outcome, of: present, account)
      guard outcome == .unanswered, number < Self.attemptsMax else { return }
      do throws(CancellationError) {
        try await dependencies.loop.wait(for: Self.attemptsPause)
      } catch { return }
      do throws(ApplicationError) {
        guard let next = try await enterAgain(first, of: account) else { return }
        present = next
      } catch {
        // The account was deleted, and its emergencies with it.
        if error.reason == .notFound { return }
        dependencies.log.failure(
          "store call to contact failed", error, .safe("emergency", first.call.id))
        guard error.reason == .unavailable else { return }
        // The contact is called even if the call can't be stored.
        present.record = nil
      }
    }
  }

  /// Places a call once few enough calls to contacts of the same person are in progress. It is
  /// ended, or not placed at all, once its emergency is over.
  private func place(
    _ call: VoiceCall, of account: AccountID, over voice: any EmergencyVoice
  ) async -> VoiceOutcome {
    let cancellation = activeCalls.begin(call, of: account)
    defer { activeCalls.end(cancellation) }
    while cancellation.isCancelled || !activeCalls.claimTurn(cancellation) {
      if cancellation.isCancelled { return .withdrawn }
      do throws(CancellationError) {
        try await dependencies.loop.wait(for: Self.lookPause)
      } catch { return .unanswered }
    }
    return await voice.place(call, until: cancellation) {}
  }

  /// Stores another attempt; nil if the emergency is over, or the daily limit is reached.
  private func enterAgain(
    _ first: ContactCall, of account: AccountID
  ) async throws(ApplicationError) -> ContactCall? {
    let key = try await dependencies.accountKeys.key(of: account)
    var next = first
    next.record = .random()
    let statement = entry(of: [next], account, under: key)
    let isEntered = try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: store.settings.transactionMax
    ) { (transaction) throws(ApplicationError) -> Bool in
      let row = try await store.hold(first.call.id, of: account, in: transaction)
      guard row?.stage == .dispatched || row?.stage == .acknowledged else { return false }
      guard try await transaction.runOne(statement) != nil else { return false }
      // The spoken text is the same as before.
      let entries = try voiceAccess(account, next.record, row, key)
      try await accesses.record(entries, in: transaction)
      return true
    }
    return isEntered ? next : nil
  }

  /// The entries of another call to a contact for the access record.
  private func voiceAccess(
    _ account: AccountID, _ record: UniversalID?, _ row: EmergencyRow?, _ key: SealingKey
  ) throws(ApplicationError) -> [AccessedData] {
    guard let record, let row else { return [] }
    let hasPosition = try EmergencyDetails(row, under: key).position != nil
    return [
      AccessedData(
        account, record, to: .noAccount, .voice,
        hasPosition ? DataTypeSet([.position]) : .none, count: hasPosition ? 1 : 0,
        at: dependencies.environment.now())
    ]
  }

  private func note(
    _ outcome: VoiceOutcome, of call: ContactCall, _ account: AccountID
  ) async {
    guard let record = call.record, outcome != .unanswered else { return }
    let now = dependencies.environment.now()
    let note = NoteContactCall(
      id: record, acknowledgedAt: outcome == .answered ? now : nil,
      withdrawnAt: outcome == .withdrawn ? now : nil)
    await store("store outcome of call to contact failed", of: call.call.id) {
      () throws(ApplicationError) in
      try await dependencies.database.transaction(
        retrying: .conflicts(times: 3), within: store.settings.transactionMax
      ) { (transaction) throws(ApplicationError) in
        try await transaction.run(note)
        guard outcome == .answered else { return }
        try await accesses.record(
          [AccessedData(account, record, to: .noAccount, .acknowledgement, at: now)],
          in: transaction)
      }
    }
  }
}

extension VoiceCall {
  /// The same call as another attempt.
  fileprivate func attempt(_ number: Int32) -> VoiceCall {
    VoiceCall(
      id: id, number: number, contact: contact, sentence: sentence, language: language,
      ringsFor: ringsFor)
  }
}
