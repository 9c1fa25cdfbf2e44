import Domain
import HTTP
import InternalAPI
import JSON
import Operations
import ServiceKit
import Web

/// Calls Data4Help for data that only Data4Help has and for work that only Data4Help can do
/// (`InternalPath`). One per loop.
package struct Data4HelpClient: Sendable {
  private let replicas: InternalClient

  /// A client of these replicas.
  package init(_ replicas: InternalClient) { self.replicas = replicas }

  /// The same client, whose calls carry the identifier of this request and continue its trace.
  package func following(_ request: Request) -> Data4HelpClient {
    Data4HelpClient(replicas.following(request))
  }

  /// The same client, whose calls carry the identifier of background work.
  package func following(_ work: RequestID) -> Data4HelpClient {
    Data4HelpClient(replicas.following(work))
  }

  /// The name of a company; nil if Data4Help no longer knows it.
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func companyName(of account: AccountID) async throws(ApplicationError) -> String? {
    let question = PeopleQuestion([account])
    let answer = try await replicas.post(InternalPath.people, question)
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    let known = try Self.read(KnownPeople.self, from: answer.body)
    guard case .thirdParty(let name, _, _)? = known.people.first?.identity else { return nil }
    return name
  }

  /// The active company with this email and its name; nil if there is none.
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func company(
    of email: EmailAddress
  ) async throws(ApplicationError) -> (account: AccountID, name: String)? {
    let answer = try await replicas.post(InternalPath.companies, CompanyQuestion(email))
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    let known = try Self.read(KnownPeople.self, from: answer.body).people.first
    guard let known, case .thirdParty(let name, _, _) = known.identity else { return nil }
    return (known.account, name)
  }

  /// The identities of runners who granted this company a check-in request, by request; runners
  /// whose request has ended are left out.
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func runners(
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
  /// - Throws: `unavailable` if no replica answers, `internalError` if Data4Help fails.
  package func warnings(of runner: AccountID) async throws(ApplicationError) -> [RunWarning] {
    let answer = try await replicas.post(InternalPath.warnings, RunnerQuestion(runner))
    guard answer.head.status == .ok else {
      throw .internalError(because: "Data4Help failed to return the warnings for a runner.")
    }
    return try Self.read(RunnerWarnings.self, from: answer.body).warnings
  }

  /// Records the access to a part of a file before the part is sent (RUN-8, NFR-6); the check-ins
  /// whose data may be sent. `limit` is the time that each replica has, if not the usual one.
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func record(
    _ download: RunDownload, within limit: Duration? = nil
  ) async throws(ApplicationError) -> Set<DataRequestID> {
    let answer = try await replicas.post(InternalPath.downloads, download, within: limit)
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    return Set(try Self.read(GrantedCheckIns.self, from: answer.body).requestIDs)
  }

  /// The events of the sequence after a number, up to another one.
  ///
  /// - Throws: `unavailable` if no replica answers, `internalError` if Data4Help fails.
  func events(
    after number: Int64, upTo last: Int64 = .max
  ) async throws(ApplicationError) -> InternalEventPage {
    let answer = try await replicas.get(
      "\(InternalPath.events)?since=\(number)&upTo=\(last)")
    guard answer.head.status == .ok else {
      throw .internalError(because: "Data4Help failed to return its events.")
    }
    return try Self.read(InternalEventPage.self, from: answer.body)
  }

  /// Sends an order; the key makes repetitions of the same order idempotent.
  package func order(
    _ path: String, _ document: some JSONWritable & Sendable, key: String? = nil
  ) async -> OrderReply {
    do throws(ApplicationError) {
      let answer = try await replicas.post(path, document, key: key)
      return OrderReply(answer)
    } catch {
      return .unavailable(error)
    }
  }

  /// Decodes a value that Data4Help wrote.
  ///
  /// - Throws: `internalError` for bytes of a different form.
  package static func read<Value: JSONReadable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ApplicationError) -> Value {
    do throws(JSONError) { return try JSONReader.read(type, from: bytes) } catch {
      throw .internalError(because: "The answer of Data4Help can't be decoded.")
    }
  }
}

extension Data4HelpClient {
  /// The active person with this email or fiscal code; nil if there is none (RUN-7).
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func account(
    of known: SingleRequestAddressee
  ) async throws(ApplicationError) -> AccountID? {
    let answer = try await replicas.post(InternalPath.find, PersonQuestion(known))
    guard answer.head.status == .ok else { throw .unavailable(retryAfter: 1) }
    return try Self.read(FoundPerson.self, from: answer.body).account
  }

  /// The active people among some accounts with this full name (RUN-7).
  ///
  /// - Throws: `unavailable` if no replica answers.
  package func people(
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

/// Data4Help's reply to an order.
package enum OrderReply: Sendable, Equatable {
  /// The order was executed, now or earlier.
  case done([UInt8])
  /// The order will never be executed: Data4Help does not accept it.
  case refused(ApplicationError)
  /// The order failed this time.
  case failed(ApplicationError)
  /// No replica is reachable, with the cause of the last one.
  case unavailable(ApplicationError)

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
  /// The reply for a status with which the order can't succeed.
  fileprivate static func answered(_ status: HTTPStatus) -> Self {
    Self(.upstreamFailed, cause: "Data4Help answered \(status.code).")
  }
}
