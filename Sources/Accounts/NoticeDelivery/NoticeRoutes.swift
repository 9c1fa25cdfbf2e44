import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// An account's notices: the list, the read marks, and the kinds sent by mail (NTF-1).
package struct NoticeRoutes: Sendable {
  private let dependencies: AccountsDependencies
  private let requests: any NoticeRequestSource

  /// Routes over notices, with the requests that they are about.
  package init(
    _ dependencies: AccountsDependencies, requests: any NoticeRequestSource
  ) {
    self.dependencies = dependencies
    self.requests = requests
  }

  /// The rows for the service's router.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.notices, list),
      routes.identified(.readNotices, markRead),
      routes.identified(.chooseMailedNotices, chooseMailed),
    ]
  }

  @Sendable private func list(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let account = identity.account
    let limit = PageLimit.count(request.query)
    let before = try PageCursor.words(.notices, in: request.query)
      .map { Int64(bitPattern: $0[0]) }
    let rows = try await dependencies.database.rows(
      NewestNotices(account: account, before: before ?? .max, limit: limit + 1))
    let summary = try await dependencies.database.row(NoticeSummary(account: account))
    let key = try await dependencies.accountKeys.key(of: account)
    var locale =
      try await dependencies.locales.locales(of: [account], in: dependencies.database)[account]
      ?? dependencies.locales.locale(StoredLocale())
    if let chosen = request.query["language"].flatMap(Language.init(rawValue:)) {
      locale = locale.speaking(chosen)
    }
    let page = rows.prefix(limit)
    // A notice that can't be opened is omitted: the others may be alarms.
    let notices = page.compactMap { row in
      DecodedNotice.open(
        row.sealedPayload, row.kind, row.number, of: account, with: key, log: dependencies.log
      ).map { (row: row, content: $0) }
    }
    let found = try await requests.find(notices.map { $0.content })
    let now = dependencies.environment.now().flooredToMilliseconds
    return .json { writer in
      writer.array("items") { writer in
        for (row, content) in notices {
          let about = content.request(in: found)
          Self.write(
            content, about: about, createdAt: row.createdAt, isRead: row.isRead,
            text: content.text(for: locale, about: about, at: now), to: &writer)
        }
      }
      writer.field("unread", summary?.unread ?? 0)
      writer.field("mail", NoticeKind.kinds(summary?.mailedKinds ?? 0).map(\.apiName))
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.notices, [UInt64(bitPattern: last.number)]))
      }
    }
  }

  /// Writes a notice for lists and streams.
  package static func write(
    _ notice: DecodedNotice, about request: NoticeRequest?, createdAt: Instant, isRead: Bool,
    text: String, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("id", notice.number)
      writer.field("kind", notice.kind.apiName)
      writer.field("time", createdAt.description)
      writer.field("read", isRead)
      writer.field("text", text)
      notice.write(about: request, to: &writer)
    }
  }

  @Sendable private func markRead(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(ReadNoticesBody.self)
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        ReadNotices(account: identity.account, numbers: payload.numbers))
      return .message("Action successful")
    }
  }

  @Sendable private func chooseMailed(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(ChooseMailedNoticesBody.self)
    let kinds = try NoticeKind.bits(of: payload.kinds)
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        ChooseMailedKinds(account: identity.account, kinds: kinds))
      return .message("Settings updated")
    }
  }
}

extension NoticeKind {
  /// The kinds of a field `kinds` as a set of bits.
  ///
  /// - Throws: `invalid` for an unknown kind.
  static func bits(of names: [String]) throws(ApplicationError) -> Int16 {
    var bits: Int16 = 0
    for (index, name) in names.enumerated() {
      guard let kind = NoticeKind(apiName: name) else {
        throw .invalid(
          "A kind is one of the names that the documentation lists.", field: "kinds[\(index)]")
      }
      bits |= kind.bit
    }
    return bits
  }
}
