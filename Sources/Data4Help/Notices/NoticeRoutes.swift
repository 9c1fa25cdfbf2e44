import Domain
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// An account's notices: the list, what was read, which kinds come by mail (NTF-1).
package struct NoticeRoutes: Sendable {
  /// Notices that one call marks as read at most.
  static let readMax = 500

  private let surroundings: Surroundings

  /// Routes over the notices of these surroundings.
  package init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = surroundings.routes
    return [
      routes.identified(.notices, list),
      routes.identified(.readNotices, markRead),
      routes.identified(.chooseMailedNotices, chooseMailed),
    ]
  }

  @Sendable private func list(
    _ request: Request, _ identity: Identity
  ) async throws(Problem) -> Response {
    let account = identity.account
    let limit = PageLimit.count(request.query)
    let before = try PageCursor.words(.notices, in: request.query)
      .map { Int64(bitPattern: $0[0]) }
    let rows = try await surroundings.database.rows(
      NewestNotices(account: account, before: before ?? .max, limit: limit + 1))
    let summary = try await surroundings.database.row(NoticeSummary(account: account))
    let key = try await surroundings.accountKeys.key(of: account)
    let page = rows.prefix(limit)
    let payloads = try page.map { (row) throws(Problem) in
      try Self.payload(row.sealedPayload, row.number, of: account, with: key)
    }
    return .json { writer in
      writer.array("items") { writer in
        for (row, payload) in zip(page, payloads) { Self.write(row, payload, to: &writer) }
      }
      writer.field("unread", summary?.unread ?? 0)
      writer.field("mail", NoticeKind.kinds(summary?.mailedKinds ?? 0).map(\.word))
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.notices, [UInt64(bitPattern: last.number)]))
      }
    }
  }

  /// Writes a notice as lists and streams show it.
  static func write(_ row: NoticeRow, _ payload: [UInt8], to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("id", row.number)
      writer.field("kind", row.kind.word)
      writer.field("time", row.createdAt.timestamp.description)
      writer.field("read", row.isRead)
      writer.raw("data", payload)
    }
  }

  /// - Throws: 500 if it was not sealed for this account and number.
  static func payload(
    _ sealed: [UInt8], _ number: Int64, of account: AccountID, with key: SealingKey
  ) throws(Problem) -> [UInt8] {
    try intact { () throws(PrivacyError) in
      try key.open(sealed.span, for: Notices.context(account, number))
    }
  }

  @Sendable private func markRead(
    _ request: Request, _ identity: Identity
  ) async throws(Problem) -> Response {
    let payload = try request.payload(ReadNoticesPayload.self)
    return try await surroundings.effects.run(request, for: identity.account) {
      (transaction) throws(Problem) in
      try await transaction.run(
        ReadNotices(account: identity.account, numbers: payload.numbers))
      return .message("Action successful")
    }
  }

  @Sendable private func chooseMailed(
    _ request: Request, _ identity: Identity
  ) async throws(Problem) -> Response {
    let payload = try request.payload(MailedNoticesPayload.self)
    return try await surroundings.effects.run(request, for: identity.account) {
      (transaction) throws(Problem) in
      try await transaction.run(
        ChooseMailedKinds(account: identity.account, kinds: payload.kinds))
      return .message("Settings updated")
    }
  }
}

/// The body of `POST /notifications/read`.
struct ReadNoticesPayload: JSONReadable {
  let numbers: [Int64]

  init(from reader: inout JSONReader) throws(JSONError) {
    numbers = try reader.object(with: "ids") { (reader) throws(JSONError) in
      try reader.list(of: Int.self, countMax: NoticeRoutes.readMax).map(Int64.init)
    }
  }
}

/// The body of `POST /notifications/mail`.
struct MailedNoticesPayload: JSONReadable {
  let kinds: Int16

  init(from reader: inout JSONReader) throws(JSONError) {
    kinds = try reader.object(with: "kinds", Self.kinds)
  }

  private static func kinds(_ reader: inout JSONReader) throws(JSONError) -> Int16 {
    var bits: Int16 = 0
    try reader.beginArray(countMax: 2 * NoticeKind.allCases.count)
    while try reader.nextElement() {
      guard let kind = NoticeKind(word: try reader.string()) else {
        throw reader.refusal("A kind is one of the words that the documentation lists.")
      }
      bits |= kind.bit
    }
    return bits
  }
}
