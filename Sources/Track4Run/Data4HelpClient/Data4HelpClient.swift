import Domain
import HTTP
import JSON
import Services

/// Asks Data4Help what it alone knows, and has it do what it alone can (`InternalPath`). One per
/// loop.
struct Data4HelpClient: Sendable {
  private let replicas: InternalClient

  /// A client of these replicas.
  init(_ replicas: InternalClient) { self.replicas = replicas }

  /// The name of a company; nil if Data4Help no longer knows it.
  ///
  /// - Throws: 503 while no replica answers.
  func companyName(of account: AccountID) async throws(ApplicationError) -> String? {
    let question = PeopleQuestion([account])
    let answer = try await replicas.post(InternalPath.people, question)
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    let known = try Self.read(KnownPeople.self, from: answer.body)
    guard case .thirdParty(let name, _, _)? = known.people.first?.identity else { return nil }
    return name
  }

  /// The active company of an email, and what it is called; nil where none has it.
  ///
  /// - Throws: 503 while no replica answers.
  func company(
    of email: EmailAddress
  ) async throws(ApplicationError) -> (account: AccountID, name: String)? {
    let answer = try await replicas.post(InternalPath.companies, CompanyQuestion(email))
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    let known = try Self.read(KnownPeople.self, from: answer.body).people.first
    guard let known, case .thirdParty(let name, _, _) = known.identity else { return nil }
    return (known.account, name)
  }

  /// The identities of runners whose check-in request this company was granted, by the request;
  /// those whose request has ended are left out.
  ///
  /// - Throws: 503 while no replica answers.
  func runners(
    _ requestIDs: [DataRequestID], askedBy thirdParty: AccountID
  ) async throws(ApplicationError) -> [DataRequestID: KnownRunner] {
    guard !requestIDs.isEmpty else { return [:] }
    let question = RunnersQuestion(requestIDs, askedBy: thirdParty)
    let answer = try await replicas.post(InternalPath.runners, question)
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    let known = try Self.read(KnownRunners.self, from: answer.body).runners
    return Dictionary(known.map { ($0.requestID, $0) }) { first, _ in first }
  }

  /// The warnings for a runner who joins a run (RUN-14).
  ///
  /// - Throws: 503 while no replica answers, 500 where Data4Help fails.
  func warnings(of runner: AccountID) async throws(ApplicationError) -> [RunWarning] {
    let answer = try await replicas.post(InternalPath.warnings, RunnerQuestion(runner))
    guard answer.head.status == .ok else {
      throw .internalError(because: "Data4Help fails to tell the warnings for a runner.")
    }
    return try Self.read(RunnerWarnings.self, from: answer.body).warnings
  }

  /// Has a part of a file recorded before it leaves (RUN-8, NFR-6).
  ///
  /// - Throws: 503 while no replica answers.
  func record(_ download: RunDownload) async throws(ApplicationError) {
    let answer = try await replicas.post(InternalPath.downloads, download)
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
  }

  /// The events of the sequence after a number, up to another one.
  ///
  /// - Throws: 503 while no replica answers, 500 where Data4Help fails.
  func events(
    behind number: Int64, upTo last: Int64 = .max
  ) async throws(ApplicationError) -> InternalEventPage {
    let answer = try await replicas.get(
      "\(InternalPath.events)?since=\(number)&upTo=\(last)")
    guard answer.head.status == .ok else {
      throw .internalError(because: "Data4Help fails to tell its events.")
    }
    return try Self.read(InternalEventPage.self, from: answer.body)
  }

  /// Has an order carried out, under the key that makes it one however often it is sent.
  func order(
    _ path: String, _ document: some JSONWritable & Sendable, key: String? = nil
  ) async -> OrderReply {
    do throws(ApplicationError) {
      let answer = try await replicas.post(path, document, key: key)
      return OrderReply(answer)
    } catch {
      return .away
    }
  }

  /// A value that Data4Help wrote.
  ///
  /// - Throws: 500 for one that it did not.
  static func read<Value: JSONReadable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ApplicationError) -> Value {
    do throws(JSONError) { return try JSONReader.read(type, from: bytes) } catch {
      throw .internalError(because: "Data4Help answered what is no such answer.")
    }
  }
}

extension Data4HelpClient {
  /// The active person with this email or fiscal code; nil if there is none (RUN-7).
  ///
  /// - Throws: 503 while no replica answers.
  func account(of known: SingleRequestAddressee) async throws(ApplicationError) -> AccountID? {
    let answer = try await replicas.post(InternalPath.find, PersonQuestion(known))
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    return try Self.read(FoundPerson.self, from: answer.body).account
  }

  /// The active people among some accounts who have this full name (RUN-7).
  ///
  /// - Throws: 503 while no replica answers.
  func people(
    named name: FullName, among accounts: [AccountID]
  ) async throws(ApplicationError) -> Set<AccountID> {
    var found: Set<AccountID> = []
    var rest = accounts[...]
    while !rest.isEmpty {
      let question = NameQuestion(name, of: Array(rest.prefix(NameQuestion.countMax)))
      rest = rest.dropFirst(NameQuestion.countMax)
      let answer = try await replicas.post(InternalPath.names, question)
      guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
      found.formUnion(try Self.read(PeopleOfName.self, from: answer.body).accounts)
    }
    return found
  }
}

/// What Data4Help answered to an order.
enum OrderReply: Sendable, Equatable {
  /// It was carried out, now or before.
  case done([UInt8])
  /// It will never be carried out: it is not what Data4Help takes.
  case refused(ApplicationError)
  /// It was not carried out this time.
  case failed(ApplicationError)
  /// No replica is there.
  case away

  fileprivate init(_ answer: HTTPClientResponse) {
    let status = answer.head.status
    switch status {
    case .ok: self = .done(answer.body)
    case .badRequest, .contentTooLarge, .unprocessable: self = .refused(.answered(status))
    default: self = .failed(.answered(status))
    }
  }
}

extension ApplicationError {
  /// Data4Help answered an order with a status that the order can't succeed with.
  fileprivate static func answered(_ status: HTTPStatus) -> Self {
    Self(.upstreamFailed, cause: "Data4Help answered \(status.code).")
  }
}
