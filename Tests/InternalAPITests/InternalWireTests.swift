import Cryptography
import Domain
import InternalAPI
import JSON
import Requirements
import Testing
import Time

@Suite("Messages between Track4Run and Data4Help")
struct InternalWireTests {
  private let time = Instant(millisecondsSince1970: 1_795_003_200_000)
  private let requestID = DataRequestID(high: 1, low: UInt64.max)

  /// The value after a round trip through JSON.
  private func again<Value: JSONReadable & JSONWritable>(_ value: Value) throws -> Value {
    var writer = JSONWriter()
    writer.value(value)
    return try JSONReader.read(Value.self, from: writer.bytes)
  }

  @Test("a batch of check-in requests is read as it was written", .tags(.R39))
  func batch() throws {
    let batch = CheckInBatch(
      organiser: AccountID(rawValue: .max), runID: .max, code: "ABCDEFGH",
      runName: "Giro «del» \"lago\"", startsAt: time,
      endsAt: time.adding(seconds: 3600),
      runners: [CheckInBatch.Runner(requestID, AccountID(rawValue: 7))])
    #expect(try again(batch) == batch)
  }

  @Test("every outcome is read as it was written")
  func outcomes() throws {
    let outcomes = CheckInOutcomes(CheckInOutcome.allCases)
    #expect(try again(outcomes) == outcomes)
    #expect(throws: JSONError.self) {
      try JSONReader.read(CheckInOutcomes.self, from: Array("{\"outcomes\":[\"lost\"]}".utf8))
    }
  }

  @Test("every kind of event is read as it was written", .tags(.RUN_8))
  func events() throws {
    let point = try GeoPoint(latitude: -45.4781, longitude: 179.9999999)
    let samples = [
      Sample(stored: .position, time: time, value: .position(point)),
      Sample(stored: .heartRate, time: time, value: .number(61.5)),
      Sample(stored: .activity, time: time, value: .code(1)),
    ]
    let types = DataTypeSet([.position, .heartRate])
    var contents: [InternalEvent.Content] = [
      .samples(requestID, samples),
      .answered(requestID, .accepted(types, endsAt: time)),
      .answered(requestID, .declined), .answered(requestID, .expired),
      .erased(requestID, types, from: time, to: time.adding(seconds: 1)),
      .erased(requestID, types, from: nil, to: nil),
      .accountDeleted(AccountID(rawValue: .max)),
    ]
    contents.append(.unreadable)
    contents += SingleRequest.EndReason.allCases.map { .ended(requestID, $0) }
    contents += DataUnavailability.allCases.map { .unavailable(requestID, types, $0, until: nil) }
    contents.append(.unavailable(requestID, types, .paused, until: time))
    for content in contents {
      let event = InternalEvent(number: .max, enteredAt: time, content)
      #expect(try again(event) == event)
    }
  }

  @Test("an event without the fields of its type is refused")
  func incomplete() {
    for text in [
      "{\"seq\":1,\"timestamp\":\"2026-11-18T12:00:00Z\",\"type\":\"account\"}",
      "{\"seq\":1,\"timestamp\":\"2026-11-18T12:00:00Z\",\"type\":\"lost\"}",
      "{\"type\":\"ended\",\"reqID\":\"\(requestID)\",\"reason\":\"period over\"}",
    ] {
      #expect(throws: JSONError.self) {
        try JSONReader.read(InternalEvent.self, from: Array(text.utf8))
      }
    }
  }

  @Test("people, and requests about them, are read as they were written", .tags(.RUN_7))
  func people() throws {
    let question = PeopleQuestion([AccountID(rawValue: 1), AccountID(rawValue: .max)])
    #expect(try again(question) == question)
    let people = KnownPeople([
      KnownPerson(
        AccountID(rawValue: 1), isActive: true, .singleUser(name: "Mario \"il Lampo\" Rossi")),
      KnownPerson(
        AccountID(rawValue: 2), isActive: false,
        .thirdParty(
          companyName: "Corri & C.", email: "a@example.org", vatNumber: "12345670157")),
    ])
    #expect(try again(people) == people)
    for known in [
      SingleRequestAddressee.email(try EmailAddress("a@example.org")),
      .fiscalCode(try FiscalCode("RSSMRA80A01H501U")),
    ] {
      #expect(try again(PersonQuestion(known)) == PersonQuestion(known))
    }
    let named = NameQuestion(
      try FullName("Mario \"il Lampo\" Rossi"),
      of: [AccountID(rawValue: 1), AccountID(rawValue: .max)])
    #expect(try again(named) == named)
    let namesakes = PeopleOfName(named.accounts)
    #expect(try again(namesakes) == namesakes)
    for found in [FoundPerson(nil), FoundPerson(AccountID(rawValue: .max))] {
      #expect(try again(found) == found)
    }
  }

  @Test("questions about runners and their answers are read as they were written", .tags(.RUN_9))
  func runners() throws {
    let question = RunnersQuestion([requestID], askedBy: AccountID(rawValue: .max))
    #expect(try again(question) == question)
    let runners = KnownRunners([
      KnownRunner(requestID, name: "Mario \"il Lampo\" Rossi", email: "a@example.org")
    ])
    #expect(try again(runners) == runners)
  }

  @Test("a part of a run's file and its answer are read as they were written", .tags(.RUN_8))
  func downloads() throws {
    for types in [[], [.position, .heartRate]] as [[DataType]] {
      let part = RunDownload(
        to: AccountID(rawValue: .max), format: "csv",
        runners: [RunDownload.Runner(requestID, types: types, count: types.count)])
      #expect(try again(part) == part)
    }
    for requestIDs in [[], [requestID]] {
      #expect(try again(GrantedCheckIns(requestIDs)) == GrantedCheckIns(requestIDs))
    }
    // The answer of a Data4Help that checks no consent.
    #expect(throws: JSONError.self) {
      try JSONReader.read(
        GrantedCheckIns.self, from: Array("{\"message\":\"Action successful\"}".utf8))
    }
  }

  @Test("orders of notices and mails are read as they were written", .tags(.RUN_2, .RUN_13))
  func orders() throws {
    let mail = ReaderMail(
      italian: MailText(subject: "Corsa annullata", text: "Ciao,\nè annullata."),
      english: MailText(
        subject: "Run cancelled", text: "Cancelled: \(ReaderMail.marked(time))."))
    for mail in [mail, nil] {
      let order = NoticeOrder(
        to: [AccountID(rawValue: 1)], facts: ["event": "cancelled", "runName": "Giro"], mail: mail)
      #expect(try again(order) == order)
    }
    let order = MailOrder(to: [try EmailAddress("a@example.org")], mail)
    #expect(try again(order) == order)
  }

  @Test("only the times of a mail depend on its reader", .tags(.NTF_3))
  func readerMail() throws {
    let mail = ReaderMail(
      italian: MailText(subject: "È il \(ReaderMail.marked(time))", text: "senza"),
      english: MailText(
        subject: "none",
        text: "\(ReaderMail.marked(time)), \u{2}no time\u{3}, \u{2}2026, \(time)"))
    func locale(_ language: Language) -> ReaderLocale {
      ReaderLocale(language: language, zoneName: "Etc/UTC", zone: .utc)
    }
    let italian = mail.text(for: locale(.italian))
    #expect(italian.subject == "È il 18 novembre 2026, 12:00 (Etc/UTC)")
    #expect(italian.text == "senza")
    let english = mail.text(for: locale(.english))
    #expect(english.subject == "none")
    #expect(
      english.text
        == "18 November 2026, 12:00 (Etc/UTC), no time, \u{2}2026, 2026-11-18T12:00:00Z")
    #expect(mail.timeError == .malformed)
    #expect(ReaderMail(italian: mail.italian, english: mail.italian).timeError == nil)
  }

  @Test("an identifier depends only on run, runner, attempt and a server key", .tags(.R39))
  func identifiers() {
    let root = RootSecret.random()
    let identifiers = CheckInIdentifiers(root: root)
    let runner = AccountID(rawValue: 7)
    let first = identifiers.requestID(run: 1, runner: runner)
    #expect(CheckInIdentifiers(root: root).requestID(run: 1, runner: runner) == first)
    let others = [
      identifiers.requestID(run: 2, runner: runner),
      identifiers.requestID(run: 1, runner: AccountID(rawValue: 8)),
      identifiers.requestID(run: 1, runner: runner, attempt: 2),
      CheckInIdentifiers(root: .random()).requestID(run: 1, runner: runner),
    ]
    #expect(Set(others + [first]).count == 5)
    #expect(DataRequestID(first.description) == first)
  }

  @Test("a list of 500 requests to withdraw is accepted, one of 501 is refused")
  func ends() throws {
    let most = CheckInEnds(Array(repeating: requestID, count: 500))
    #expect(try again(most) == most)
    #expect(throws: JSONError.self) {
      try again(CheckInEnds(Array(repeating: requestID, count: 501)))
    }
  }
}
