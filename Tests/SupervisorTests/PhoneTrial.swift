import AutomatedSOS
import Domain
import Time
import trackme_lab

/// A phone with a manual clock and a simulated gateway that may be unreachable.
struct PhoneTrial {
  var phone: SimulatedPhone
  var now: Instant
  let start: Instant
  var isOffline = false
  /// The service's answer to an alert.
  var answer = SimulatedPhone.AlertAnswer.raised(
    PhoneAlarm(stage: "suspected", emergencyID: "an emergency", rule: ""))
  private(set) var said: [(Int64, String)] = []
  private(set) var uploads: [(Int64, [VitalSign])] = []
  private(set) var raised: [(Int64, Rule, [VitalSign])] = []
  private(set) var aborted: [(Int64, String)] = []
  private(set) var kept: [VitalSign] = []
  private(set) var hasEnded = false

  init(
    _ profile: VitalSigns.Profile = .rest, recorded: [RecordedSign]? = nil,
    _ change: (inout SimulatedPhone.Plan) -> Void = { _ in }
  ) {
    start = Instant(millisecondsSince1970: 1_790_000_000_000)
    now = start
    var plan = SimulatedPhone.Plan()
    change(&plan)
    let start = start
    let source = recorded.map { VitalSigns($0, from: start) } ?? VitalSigns(profile, from: start)
    phone = SimulatedPhone(plan, source, at: start)
  }

  var elapsed: Int64 { now.millisecondsSince1970 - start.millisecondsSince1970 }
  var lines: [String] { said.map(\.1) }

  /// Advances the clock from deadline to deadline.
  mutating func run(until milliseconds: Int64) {
    perform(phone.advance(to: now))
    while !hasEnded, phone.nextDeadline <= start.adding(milliseconds: milliseconds) {
      now = max(phone.nextDeadline, now.adding(milliseconds: 1))
      perform(phone.advance(to: now))
    }
    now = max(now, start.adding(milliseconds: milliseconds))
  }

  mutating func perform(_ actions: [SimulatedPhone.Action]) {
    for action in actions {
      switch action {
      case .say(let line): said.append((elapsed, line))
      case .keep(let signs): kept += signs
      case .rewrite, .readSettings: break
      case .upload(let signs):
        if isOffline {
          perform(phone.wasNotReached(at: now))
        } else {
          uploads.append((elapsed, signs))
          perform(phone.wasStored(at: now))
        }
      case .raise(let rule, let signs):
        raised.append((elapsed, rule, signs))
        perform(phone.alertWasAnswered(rule, isOffline ? .notReached : answer, at: now))
      case .abort(let id):
        aborted.append((elapsed, id))
        perform(phone.abortWasAnswered(id, isOffline ? .notReached : .aborted, at: now))
      case .end: hasEnded = true
      }
    }
  }
}
