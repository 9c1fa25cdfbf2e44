import Domain
import Requirements
import Testing
import Time

@Suite("check-in requests")
struct CheckInRequestTests {
  let now = Instant(millisecondsSince1970: 1_700_000_000_000)
  var startsAt: Instant { now.adding(seconds: 3600) }
  var endsAt: Instant { now.adding(seconds: 7200) }

  func request(
    _ available: [DataType] = [.position, .heartRate], startsAt: Instant? = nil
  ) throws(SingleRequestTermsError) -> SingleRequest {
    try .checkIn(
      DataRequestID(high: 1, low: 2), of: AccountID(rawValue: 2),
      onBehalfOf: AccountID(rawValue: 1), available: DataTypeSet(available),
      startsAt: startsAt ?? self.startsAt, endsAt: endsAt, now: now)
  }

  @Test("the position is always requested, and every available type", .tags(.R42))
  func types() throws {
    #expect(try request([]).terms.types == DataTypeSet([.position]))
    #expect(try request([.weight]).terms.types == DataTypeSet([.position, .weight]))
  }

  @Test("a check-in subscribes from the start of the run to its end", .tags(.R41))
  func period() throws {
    var request = try request()
    try request.accept(available: .all, nextSequence: 1, now: now)
    #expect(request.acceptance?.endsAt == endsAt)
    let coverage = try #require(request.coverage(at: startsAt))
    #expect(coverage.from == startsAt)
    #expect(coverage.to == endsAt)
    #expect(request.coverage(at: endsAt)?.takesNewSamples == false)
  }

  @Test("a run that has started or has no length has no check-in", .tags(.R49))
  func begun() throws {
    #expect(throws: SingleRequestTermsError.periodEmpty) { try request(startsAt: now) }
    #expect(throws: SingleRequestTermsError.periodEmpty) { try request(startsAt: endsAt) }
  }

  @Test("a check-in is answered before the start or not at all", .tags(.R49))
  func answered() throws {
    var request = try request()
    #expect(throws: SingleRequestError.notPending) {
      try request.accept(available: .all, nextSequence: 1, now: startsAt)
    }
    try request.accept(available: .all, nextSequence: 1, now: startsAt.adding(seconds: -1))
  }

  @Test("a check-in needs the position, accepted and available", .tags(.R48))
  func position() throws {
    var request = try request()
    #expect(throws: SingleRequestError.positionLeftOut) {
      try request.accept(
        AcceptanceChoice(types: [.heartRate]), available: .all, nextSequence: 1, now: now)
    }
    #expect(throws: SingleRequestError.noPosition) {
      try request.accept(available: DataTypeSet([.heartRate]), nextSequence: 1, now: now)
    }
    #expect(request.status == .pending)
    try request.accept(
      AcceptanceChoice(types: [.position]), available: DataTypeSet([.position]), nextSequence: 1,
      now: now)
    #expect(request.status == .accepted)
  }

  @Test("a withdrawn request expires, or is ended by the third party; once")
  func withdrawn() throws {
    let earlier = startsAt.adding(seconds: -1)
    var pending = try request()
    #expect(withdraw(&pending, at: earlier))
    #expect(pending.state == .expired(earlier))
    #expect(!withdraw(&pending, at: earlier))
    var accepted = try request()
    try accepted.accept(available: .all, nextSequence: 1, now: now)
    #expect(withdraw(&accepted, at: startsAt))
    #expect(accepted.status == .ended)
    #expect(!withdraw(&accepted, at: startsAt))
    var late = try request()
    #expect(!withdraw(&late, at: startsAt))
    #expect(late.state == .expired(startsAt))
  }

  @Test("the runner ends a check-in after its run, once; the organiser does not", .tags(.RUN_9))
  func endedAfterTheRun() throws {
    var request = try request()
    try request.accept(available: .all, nextSequence: 1, now: now)
    let later = endsAt.adding(seconds: 60)
    #expect(throws: SingleRequestError.notRunning) { try request.end(.thirdParty, now: later) }
    try request.end(.singleUser, now: later)
    let acceptance = try #require(request.acceptance)
    #expect(request.state == .ended(later, .singleUser, acceptance))
    #expect(throws: SingleRequestError.notRunning) { try request.end(.singleUser, now: later) }
  }

  private func withdraw(_ request: inout SingleRequest, at time: Instant) -> Bool {
    request.withdraw(now: time)
  }
}
