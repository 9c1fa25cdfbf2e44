import Accounts
import AutomatedSOS
import Bytes
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Time

// Voice calls to the emergency number: their text, and their effect on an emergency (SOS-5).
//
// After a call without an answer the row of an emergency is due again a moment later, for any
// process: so a call of a killed process is placed again then. While a call is being listened to,
// the row waits for the end of the message.

extension EmergencyCalling {
  /// The longest ringing time, as a part of the time until the next call.
  private static let ringingPart = 0.9
  /// How long storing an answered call is attempted.
  private static let storingMax = Duration.seconds(60)
  private static let storingPause = Duration.milliseconds(500)

  /// The present text for an emergency.
  func sentence(
    of message: EmergencyMessage, _ language: EmergencyLanguage,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> VoiceSentence {
    var municipality: String?
    if let point = message.details.position?.point {
      municipality = try await transaction.runOne(NearestMunicipality(to: point))
    }
    return VoiceSentence(
      message: message, municipality: municipality, language: language,
      now: dependencies.environment.now().flooredToMilliseconds)
  }

  /// The call to the emergency number that has this `number` among those of its emergency.
  func voiceCall(_ sentence: VoiceSentence, _ number: Int32) -> VoiceCall {
    VoiceCall(
      id: sentence.message.row.id, number: number,
      sentence: sentence.forNumber(on: dependencies.today), language: sentence.language,
      ringsFor: ringsFor)
  }

  /// The longest ringing time.
  var ringsFor: Duration {
    Duration.seconds(store.settings.acknowledgeSeconds) * Self.ringingPart
  }

  /// Calls the emergency number concurrently with all other work; the next call for its emergency
  /// is due at `dueAt`. An answered call counts as an acknowledgement.
  func begin(_ call: VoiceCall, of account: AccountID, dueAt: Instant?) {
    let loop = dependencies.loop
    let cancellation = activeCalls.begin(call, of: account)
    loop.begin {
      let outcome = await voice.place(call, until: cancellation) {
        loop.begin { await notePickedUp(call, of: account) }
      }
      activeCalls.end(cancellation)
      switch outcome {
      case .answered: await noteHeard(call, of: account)
      case .unanswered: await noteUnheard(call, of: account, dueAt: dueAt)
      case .withdrawn: await noteWithdrawn(call)
      }
    }
  }

  func notePickedUp(_ call: VoiceCall, of account: AccountID) async {
    await note(call, of: account) { row in
      row.listen(until: dependencies.environment.now() + VoiceCall.speakingMax)
    }
  }

  /// The call was not picked up, so the row is due as before; or it was ended before the end of the
  /// message.
  func noteUnheard(_ call: VoiceCall, of account: AccountID, dueAt: Instant?) async {
    guard let dueAt else { return }
    await note(call, of: account) { row in
      guard let present = row.dueAt, present > dueAt else { return }
      row.callAgain(at: max(dueAt, dependencies.environment.now()))
    }
  }

  /// Changes when the next call is due if this call is still the newest: a late result must not
  /// affect a call that was placed meanwhile.
  private func note(
    _ call: VoiceCall, of account: AccountID, _ change: (inout EmergencyRow) -> Void
  ) async {
    do throws(ApplicationError) {
      _ = try await dependencies.database.transaction(
        retrying: .conflicts(times: 3), within: store.settings.transactionMax
      ) { (transaction) throws(ApplicationError) -> Bool in
        let held = try await store.hold(call.id, of: account, in: transaction)
        guard var row = held, row.stage == .dispatched,
          try await transaction.runOne(NewestCall(id: call.id)) == call.number
        else { return false }
        let former = row.dueAt
        change(&row)
        guard row.dueAt != former else { return false }
        return try await store.store(row, from: .dispatched, isNotified: false, in: transaction)
      }
    } catch {
      dependencies.log.failure(
        "store state of call failed", error, level: .warning, .safe("emergency", call.id),
        .number("call", call.number))
    }
  }

  /// Stores that a call was heard: it is an acknowledgement. Tried again while a database is
  /// unavailable, since the recipient would otherwise be called again.
  func noteHeard(_ call: VoiceCall, of account: AccountID) async {
    await store("store answered call failed", of: call.id) { () throws(ApplicationError) in
      guard try await acknowledge(call, of: account) else { return }
      dependencies.notices.announce()
      dependencies.events.announce()
    }
  }

  /// Stores that a call was ended from this side.
  func noteWithdrawn(_ call: VoiceCall) async {
    await store("store ended call failed", of: call.id) { () throws(ApplicationError) in
      _ = try await dependencies.database.effect(
        NoteVoiceWithdrawn(id: call.id, number: call.number, now: dependencies.environment.now()))
    }
  }

  /// Stores the result of a call for an emergency, and tries again while a database is unavailable.
  func store(
    _ failure: StaticString, of emergency: UniversalID,
    _ body: () async throws(ApplicationError) -> Void
  ) async {
    let giveUpAt = dependencies.loop.now + Self.storingMax
    while true {
      do throws(ApplicationError) {
        return try await body()
      } catch {
        if error.reason == .unavailable, dependencies.loop.now < giveUpAt {
          do throws(CancellationError) {
            try await dependencies.loop.wait(for: Self.storingPause)
          } catch { return }
          continue
        }
        return dependencies.log.failure(failure, error, .safe("emergency", emergency))
      }
    }
  }

  private func acknowledge(
    _ call: VoiceCall, of account: AccountID
  ) async throws(ApplicationError) -> Bool {
    let called = try await dependencies.database.rows(CallsOf(ids: [call.id]))
      .compactMap(\.hospital)
    return try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: store.settings.transactionMax
    ) { (transaction) throws(ApplicationError) -> Bool in
      let held = try await store.hold(call.id, of: account, with: called, in: transaction)
      guard var row = held, row.stage == .dispatched else { return false }
      let now = dependencies.environment.now()
      row.acknowledge(at: now)
      try await transaction.run(NoteVoiceHeard(id: call.id, number: call.number, now: now))
      try await end(row, .heardAtNumber, except: nil, in: transaction)
      guard try await store.store(row, from: .dispatched, in: transaction) else { return false }
      try await accesses.record(
        [AccessedData(account, call.id, to: .noAccount, .acknowledgement, at: now)],
        in: transaction)
      return true
    }
  }
}

/// The number of the last call for an emergency.
struct NewestCall: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    SELECT number
      FROM data4help.emergency_calls
     WHERE emergency_id = \(\.id)
     ORDER BY number DESC
     LIMIT 1
    """
  let id: UniversalID
}

/// Stores that a voice call was heard.
struct NoteVoiceHeard: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergency_calls
       SET acknowledged_at = \(\.now)
     WHERE emergency_id = \(\.id)
       AND number = \(\.number)
    """
  let id: UniversalID
  let number: Int32
  let now: Instant
}

/// Stores that a voice call was ended because its emergency was over.
struct NoteVoiceWithdrawn: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.emergency_calls
       SET withdrawn_at = \(\.now)
     WHERE emergency_id = \(\.id)
       AND number = \(\.number)
    """
  let id: UniversalID
  let number: Int32
  let now: Instant
}
