import Accounts
import AutomatedSOS
import Domain
import EventLoop
import Mail
import Postgres
import ServiceKit
import Sharing
import Time

extension EmergencyCalling {
  /// Stores the course of an offline emergency, once: its stage with the true times, its calls, the
  /// hospitals' sequences, the mails, and one notice of the present stage. It reverts nothing that
  /// other processes have stored meanwhile: false if that takes precedence.
  ///
  /// The transaction is rolled back unless the emergency `isPresent`, unchanged in memory: the
  /// database may answer after minutes, and other replicas must not see, and call for, an emergency
  /// as confirmed that was aborted in the meantime.
  ///
  /// - Throws: `notFound` for a deleted account, `unavailable` if a database is unavailable or the
  ///   emergency has changed in memory.
  func reconcile(
    _ copy: OfflineEmergency, while isPresent: () -> Bool
  ) async throws(ApplicationError) -> Bool {
    let preparation = try await prepare(copy.row.account)
    var row = copy.row
    row.sealedDetails = copy.details.sealed(for: row.id, under: preparation.key)
    let called = try await dependencies.database.rows(CallsOf(ids: [row.id]))
      .compactMap(\.hospital)
    let isReconciled = try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: store.settings.transactionMax
    ) { [row] (transaction) throws(ApplicationError) -> Bool in
      let isReconciled = try await reconcile(
        row, copy, preparation, called, while: isPresent, in: transaction)
      guard isPresent() else { throw .unavailable() }
      return isReconciled
    }
    dependencies.notices.announce()
    dependencies.events.announce()
    dependencies.mailQueue.announce()
    return isReconciled
  }

  private func reconcile(
    _ row: EmergencyRow, _ copy: OfflineEmergency, _ preparation: Preparation,
    _ called: [AccountID], while isPresent: () -> Bool,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let (present, found) = try await transaction.run(
      HoldAccounts(accounts: [row.account] + called + copy.calls.compactMap(\.hospital)),
      LockEmergency(id: row.id))
    guard isPresent() else { throw .unavailable() }
    var row = row
    let isMoved: Bool
    if let stored = found.first {
      if copy.isWithoutDetails { row.sealedDetails = stored.sealedDetails }
      if row.stage == .aborted, stored.stage == .dispatched || stored.stage == .acknowledged {
        return try await withdraw(stored, in: transaction)
      }
      isMoved = try await move(stored, to: row, in: transaction)
    } else {
      isMoved = try await transaction.runOne(InsertEmergency(row: row)) != nil
      // Another emergency of the same rule is in progress and takes its place.
      guard isMoved else { return false }
    }
    let isCalledFirst = found.first.map { $0.stage.isBeforeCall } ?? true
    let message = try EmergencyMessage(row, preparation.profile, under: preparation.key)
    let entries = try await enter(
      copy.calls.filter { call in call.hospital.map(present.contains) ?? true }, of: message,
      preparation, isCalledFirst: isCalledFirst, in: transaction)
    if isMoved {
      // Without the database only the emergency number can acknowledge.
      let reason: EmergencyEnd? =
        switch row.stage {
        case .acknowledged: .heardAtNumber
        case .unanswered: .unanswered
        default: nil
        }
      if let reason { try await end(row, reason, except: nil, in: transaction) }
      try await dependencies.notices.add(EmergencyNotice.standing(row), in: transaction)
    }
    try await accesses.record(entries, in: transaction)
    return isMoved || found.first?.stage == row.stage
  }

  /// Another process placed a call for an emergency that the person had aborted here: it is a false
  /// alarm.
  private func withdraw(
    _ stored: EmergencyRow, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    var row = stored
    row.close(.falseAlarm, nil, at: dependencies.environment.now())
    let entries = try await mailAllClear(row, in: transaction)
    try await end(row, .falseAlarm, except: nil, in: transaction)
    guard try await store.store(row, from: stored.stage, in: transaction) else { return false }
    try await accesses.record(entries, in: transaction)
    return true
  }

  /// Updates a stored emergency to its state here; false if other processes advanced it further.
  private func move(
    _ stored: EmergencyRow, to row: EmergencyRow, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let isHeardSince = stored.stage == .dispatched && row.stage == .acknowledged
    guard stored.stage.isBeforeCall || isHeardSince, stored.stage != row.stage else {
      return false
    }
    var row = row
    row.keepTimes(of: stored)
    return try await transaction.runOne(MoveEmergency(row: row, from: stored.stage)) != nil
  }

  private func enter(
    _ calls: [OfflineEmergency.Call], of message: EmergencyMessage, _ preparation: Preparation,
    isCalledFirst: Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccessedData] {
    guard !calls.isEmpty else { return [] }
    var entries: [AccessedData] = []
    let earlier = try await transaction.run(CallsOf(ids: [message.row.id]))
    for (index, call) in calls.enumerated() {
      let isKnown = earlier.contains { known in
        known.hospital == call.hospital
          && (call.hospital != nil || known.calledAt == call.calledAt)
      }
      guard !isKnown else { continue }
      try await transaction.run(
        EnterCall(
          id: message.row.id, hospital: call.hospital, isVoice: call.hospital == nil,
          now: call.calledAt))
      // The recipient was already called, by callback or by voice.
      entries.append(
        call.hospital.map { AccessedData(message, to: $0, .callback, at: call.calledAt) }
          ?? AccessedData(message, message.row.id, .voice, namesRule: true, at: call.calledAt))
      entries += try await notify(
        call.hospital, message, preparation, isFirst: isCalledFirst && index == 0,
        in: transaction)
    }
    return entries
  }
}
