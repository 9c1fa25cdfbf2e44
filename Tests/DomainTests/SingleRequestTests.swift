import Domain
import Requirements
import Testing
import Time

@Suite("single requests")
struct SingleRequestTests {
  let now = Instant(millisecondsSince1970: 1_700_000_000_000)
  var later: Instant { now.adding(seconds: 3600) }
  var earlier: Instant { now.adding(seconds: -3600) }

  func terms(
    _ types: [DataType] = [.heartRate, .weight], subscribing: Bool = false,
    seconds: Int64? = nil, from: Instant? = nil, to: Instant? = nil
  ) throws -> SingleRequestTerms {
    try SingleRequestTerms(
      types: types, subscribing: subscribing,
      duration: try seconds.map { try RequestDuration(seconds: $0) }, from: from, to: to, now: now)
  }

  func request(_ terms: SingleRequestTerms) -> SingleRequest {
    SingleRequest(
      id: DataRequestID(high: 1, low: 2), thirdParty: AccountID(rawValue: 1),
      singleUser: AccountID(rawValue: 2), terms: terms, now: now)
  }

  func accepted(
    _ terms: SingleRequestTerms, _ choice: AcceptanceChoice = AcceptanceChoice()
  ) throws -> SingleRequest {
    var request = request(terms)
    try request.accept(choice, available: .all, nextSequence: 100, now: now)
    return request
  }

  @Test("a request identifies the user by email or by fiscal code, exactly one", .tags(.R11))
  func addressee() throws {
    let email = try EmailAddress("a@b.it")
    let code = try FiscalCode("RSSMRA80A01H501U")
    #expect(try SingleRequestAddressee(email: email, fiscalCode: nil) == .email(email))
    #expect(try SingleRequestAddressee(email: nil, fiscalCode: code) == .fiscalCode(code))
    #expect(throws: SingleRequestTermsError.noAddressee) {
      try SingleRequestAddressee(email: nil, fiscalCode: nil)
    }
    #expect(throws: SingleRequestTermsError.twoAddressees) {
      try SingleRequestAddressee(email: email, fiscalCode: code)
    }
  }

  @Test("a request lists at least one data type, each once", .tags(.R18))
  func types() throws {
    #expect(try terms([.heartRate]).types == DataTypeSet([.heartRate]))
    #expect(throws: SingleRequestTermsError.noTypes) { try terms([]) }
    #expect(throws: SingleRequestTermsError.typeNamedTwice) { try terms([.steps, .steps]) }
  }

  @Test("a subscription has a duration, or a to in the future", .tags(.R19, .R20))
  func duration() throws {
    #expect(throws: SingleRequestTermsError.durationMissing) { try terms(subscribing: true) }
    #expect(throws: SingleRequestTermsError.durationMissing) {
      try terms(subscribing: true, to: now)
    }
    #expect(try terms(subscribing: true, to: now.adding(milliseconds: 1)).duration == nil)
    #expect(try terms(subscribing: true, seconds: 60).duration?.seconds == 60)
    #expect(try terms(subscribing: false, seconds: 60).duration == nil)
  }

  @Test("an observation period in the future needs a subscription", .tags(.REQ_6))
  func period() throws {
    #expect(try terms(from: earlier, to: now).to == now)
    #expect(throws: SingleRequestTermsError.futureNeedsSubscription) {
      try terms(to: now.adding(milliseconds: 1))
    }
    #expect(throws: SingleRequestTermsError.futureNeedsSubscription) { try terms(from: later) }
    #expect(throws: SingleRequestTermsError.periodEmpty) { try terms(from: earlier, to: earlier) }
    #expect(try terms(subscribing: true, from: earlier, to: later).from == earlier)
  }

  @Test("a user accepts in part: fewer types and a shorter duration, never more", .tags(.R13))
  func partial() throws {
    let asked = try terms(subscribing: true, seconds: 100)
    let shorter = try RequestDuration(seconds: 50)
    let given = try accepted(asked, AcceptanceChoice(types: [.weight], duration: shorter))
    #expect(given.acceptance?.types == DataTypeSet([.weight]))
    #expect(given.acceptance?.endsAt == now.adding(seconds: 50))
    #expect(throws: SingleRequestError.typeNotAsked) {
      try accepted(asked, AcceptanceChoice(types: [.weight, .steps]))
    }
    #expect(throws: SingleRequestError.noTypes) {
      try accepted(asked, AcceptanceChoice(types: []))
    }
    #expect(throws: SingleRequestError.durationLongerThanAsked) {
      try accepted(asked, AcceptanceChoice(duration: try RequestDuration(seconds: 101)))
    }
    let same = try RequestDuration(seconds: 100)
    #expect(
      try accepted(asked, AcceptanceChoice(duration: same)).acceptance?.endsAt
        == now.adding(seconds: 100))
    #expect(throws: SingleRequestError.notASubscription) {
      try accepted(try terms(), AcceptanceChoice(duration: shorter))
    }
  }

  @Test("a request is answered once, and declining discloses nothing", .tags(.R13, .R14))
  func declined() throws {
    var request = request(try terms())
    try request.decline(now: now)
    #expect(request.status == .declined)
    #expect(request.coverage(at: now) == nil)
    #expect(throws: SingleRequestError.notPending) { try request.decline(now: now) }
    #expect(throws: SingleRequestError.notPending) {
      try request.accept(available: .all, nextSequence: 1, now: now)
    }
    #expect(throws: SingleRequestError.notRunning) { try request.end(.thirdParty, now: now) }
  }

  @Test("an unanswered request expires after three days, as if denied", .tags(.REQ_1))
  func expires() throws {
    var request = request(try terms())
    let deadline = now.adding(seconds: 259_200)
    #expect(request.expiresAt == deadline)
    let changedEarly = request.settle(now: deadline.adding(milliseconds: -1))
    #expect(!changedEarly)
    #expect(request.status == .pending)
    #expect(throws: SingleRequestError.notPending) {
      try request.accept(available: .all, nextSequence: 1, now: deadline)
    }
    let changed = request.settle(now: deadline.adding(seconds: 9))
    #expect(changed)
    #expect(request.state == .expired(deadline))
    #expect(request.coverage(at: deadline) == nil)
    var inTime = self.request(try terms())
    try inTime.accept(
      available: .all, nextSequence: 1, now: deadline.adding(milliseconds: -1))
    #expect(inTime.status == .accepted)
  }

  @Test("a request without any available type ends with no data", .tags(.R22))
  func noData() throws {
    var request = request(try terms())
    try request.accept(available: DataTypeSet([.steps]), nextSequence: 1, now: now)
    #expect(request.status == .ended)
    #expect(request.coverage(at: now) == nil)
    var one = self.request(try terms())
    try one.accept(available: DataTypeSet([.weight]), nextSequence: 1, now: now)
    #expect(one.status == .accepted)
  }

  @Test("without subscription the set is the data stored and measured at acceptance", .tags(.R14))
  func fixedSet() throws {
    let coverage = try #require(try accepted(terms(from: earlier)).coverage(at: later))
    #expect(!coverage.takesNewSamples)
    #expect(coverage.covers(.heartRate, time: earlier, sequence: 99))
    #expect(!coverage.covers(.heartRate, time: earlier, sequence: 100))
    #expect(!coverage.covers(.steps, time: earlier, sequence: 99))
    #expect(!coverage.covers(.heartRate, time: earlier.adding(milliseconds: -1), sequence: 99))
    #expect(coverage.covers(.heartRate, time: now.adding(milliseconds: -1), sequence: 99))
    #expect(!coverage.covers(.heartRate, time: now, sequence: 99))
  }

  @Test("a subscription ends at acceptance + duration or at to, whichever is earlier", .tags(.R20))
  func naturalEnd() throws {
    let byDuration = try accepted(terms(subscribing: true, seconds: 60, to: later))
    #expect(byDuration.acceptance?.endsAt == now.adding(seconds: 60))
    let byTo = try accepted(terms(subscribing: true, seconds: 7200, to: later))
    #expect(byTo.acceptance?.endsAt == later)
    let onlyTo = try accepted(terms(subscribing: true, to: later))
    #expect(onlyTo.acceptance?.endsAt == later)

    #expect(byTo.coverage(at: later.adding(milliseconds: -1))?.takesNewSamples == true)
    let over = try #require(byTo.coverage(at: later))
    #expect(!over.takesNewSamples)
    #expect(over.covers(.heartRate, time: now, sequence: 1000))
    var settled = byTo
    let changed = settled.settle(now: later.adding(seconds: 50))
    #expect(changed)
    guard case .ended(let time, .periodOver, _) = settled.state else {
      Issue.record("not ended")
      return
    }
    #expect(time == later)
  }

  @Test("after the user's end no data is disclosed", .tags(.R21))
  func endedByUser() throws {
    var request = try accepted(terms(subscribing: true, seconds: 60))
    try request.end(.singleUser, now: now.adding(seconds: 1))
    #expect(request.status == .ended)
    #expect(request.coverage(at: now.adding(seconds: 1)) == nil)
    #expect(throws: SingleRequestError.notRunning) { try request.end(.singleUser, now: now) }
  }

  @Test("data from before the third party's own end stays downloadable", .tags(.R21))
  func endedByThirdParty() throws {
    var request = try accepted(terms(subscribing: true, seconds: 60))
    try request.end(.thirdParty, now: now.adding(seconds: 1))
    #expect(request.coverage(at: later)?.takesNewSamples == false)
  }

  @Test("a pending request and an expired one can't be ended", .tags(.R21))
  func notRunning() throws {
    var pending = request(try terms())
    #expect(throws: SingleRequestError.notRunning) { try pending.end(.singleUser, now: now) }
    var over = try accepted(terms(subscribing: true, seconds: 60))
    #expect(throws: SingleRequestError.notRunning) {
      try over.end(.singleUser, now: now.adding(seconds: 60))
    }
  }

  @Test("an unpaid request discloses nothing until it is paid")
  func payment() throws {
    var request = request(try terms())
    try request.accept(available: .all, nextSequence: 5, paymentDue: true, now: now)
    #expect(request.status == .paymentDue)
    #expect(request.coverage(at: now) == nil)
    try request.pay()
    #expect(request.status == .accepted)
    #expect(request.coverage(at: now) != nil)
    #expect(throws: SingleRequestError.nothingDue) { try request.pay() }
  }

  @Test("a reqID is a UUID")
  func identifiers() {
    let text = "0190b6d2-7f3a-4e11-9c55-00a1b2c3d4e5"
    #expect(DataRequestID(text)?.description == text)
    #expect(DataRequestID(text.uppercased())?.description == text)
    for bad in [
      "", String(text.dropLast()), text + "0", text.replacing("-", with: "0"), "g" + text,
    ] {
      #expect(DataRequestID(bad) == nil)
    }
    let random = DataRequestID(random: .max, .max).description
    #expect(random == "ffffffff-ffff-4fff-bfff-ffffffffffff")
  }
}
