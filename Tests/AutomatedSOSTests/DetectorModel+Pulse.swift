import AutomatedSOS

// Loss of pulse, in the same slow way.
extension DetectorModel {
  func isLoss(_ measurement: Measurement) -> Bool {
    if case .heartRate(let rate) = measurement { rate >= 0 && rate < 20 } else { false }
  }

  /// Whether a loss of pulse is in progress or acknowledged.
  func isPulseLost(_ now: Int64) -> Bool {
    guard let last = emergencies[.lossOfPulse]?.last, last.endedAt == nil, last.withdrawnAt == nil
    else { return false }
    return quietEnd(last).map { now < $0 } ?? true
  }

  mutating func takeLoss(
    _ reading: Reading, _ time: Int64, _ now: Int64, _ decisions: inout [Decision]
  ) {
    told[.lossOfPulse, default: []].append(Told(time: time, now: now, isCritical: true))
    let place = emergencies[.lossOfPulse, default: []].count - 1
    if let last = emergencies[.lossOfPulse]?.last, isOpen(last) {
      guard last.confirmedAt == nil, time - last.emergency.firstCritical.milliseconds >= 3000 else {
        return
      }
      emergencies[.lossOfPulse]?[place].confirmedAt = now
      decisions.append(.confirmed(last.emergency))
    } else if let end = emergencies[.lossOfPulse]?.last.flatMap(quietEnd), now < end {
      return
    } else {
      losses.append((reading, time, now))
      let isConfirmed = time - losses[0].time >= 3000
      if isConfirmed || reading.isLast { beginLoss(isConfirmed, now, &decisions) }
    }
  }

  mutating func beginLoss(
    _ isConfirmed: Bool, _ now: Int64, _ decisions: inout [Decision]
  ) {
    let newest = losses.map(\.time).max() ?? 0
    let isSure =
      losses.contains { $0.reading.isOnBody == true }
      || falls.contains { newest - $0 <= 60_000 }
    let emergency = Emergency(
      rule: .lossOfPulse, firstCritical: Moment(milliseconds: losses[0].time),
      suspectedAt: Moment(milliseconds: now),
      abortUntil: Moment(milliseconds: now + (isSure ? 5000 : pulseWindow)))
    losses = []
    var history = History(emergency: emergency)
    decisions.append(.suspected(emergency))
    if isConfirmed {
      history.confirmedAt = now
      decisions.append(.confirmed(emergency))
    } else {
      history.askedAt = now
      decisions.append(.asked(emergency, answerBy: emergency.abortUntil))
    }
    emergencies[.lossOfPulse, default: []].append(history)
  }

  /// A pulse or movement.
  mutating func noteLife(_ time: Int64, _ now: Int64, _ decisions: inout [Decision]) {
    if let first = losses.first, time > first.time { losses = [] }
    let place = emergencies[.lossOfPulse, default: []].count - 1
    guard let last = emergencies[.lossOfPulse]?.last, isOpen(last),
      time > last.emergency.firstCritical.milliseconds
    else { return }
    emergencies[.lossOfPulse]?[place].withdrawnAt = now
    decisions.append(.withdrawn(last.emergency))
  }
}
