import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// Shows a person who received which data, and when (REQ-5).
package struct AccessRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these accounts.
  package init(_ surroundings: Surroundings, directory: AccountDirectory) {
    let list = AccessList(surroundings: surroundings, directory: directory)
    all = [
      surroundings.routes.identified(.accesses) { (request, identity) throws(ApplicationError) in
        if request.query["by"] != nil { return try await list.days(request, identity) }
        return try await list.page(request, identity)
      }
    ]
  }
}

struct AccessList: Sendable {
  let surroundings: Surroundings
  let directory: AccountDirectory

  func page(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let before = try PageCursor.words(.accesses, in: request.query)
      .map { Int64(bitPattern: $0[0]) }
    let rows = try await surroundings.database.rows(
      NewestAccesses(account: identity.account, before: before ?? .max, limit: limit + 1))
    let page = rows.prefix(limit)
    let thirdParties = try await directory.thirdParties(
      Set(page.map(\.thirdParty)).subtracting([.noAccount]))
    let emergencies = try await emergencies(of: page, identity.account)
    return .json { writer in
      writer.array("accesses") { writer in
        for row in page {
          let thirdParty =
            row.thirdParty == .noAccount ? nil : thirdParties[row.thirdParty] ?? .gone
          let emergency = row.requestID.flatMap { emergencies[$0] }
          Self.write(row, thirdParty, emergency, to: &writer)
        }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.accesses, [UInt64(bitPattern: last.number)]))
      }
    }
  }

  /// The emergencies among the entries, with the name of the contact.
  private func emergencies(
    of page: ArraySlice<AccessRow>, _ account: AccountID
  ) async throws(ApplicationError) -> [DataRequestID: Emergency] {
    let ids = Set(page.compactMap(\.requestID)).map { UniversalID(high: $0.high, low: $0.low) }
    let rows = try await surroundings.database.rows(
      EmergencyOfAccesses(account: account, ids: ids))
    guard !rows.isEmpty else { return [:] }
    let key = try await surroundings.accountKeys.key(of: account)
    var found: [DataRequestID: Emergency] = [:]
    for row in rows {
      let context =
        row.isMail ? ContactMailRow.context(row.id) : ContactCallRow.context(row.id)
      let contact = try row.sealedName.map { (sealed) throws(ApplicationError) in
        try intact { () throws(PrivacyError) in try key.openText(sealed.span, for: context) }
      }
      found[DataRequestID(high: row.id.high, low: row.id.low)] = Emergency(
        episode: row.episode, contact: contact)
    }
    return found
  }

  private struct Emergency {
    let episode: UniversalID?
    let contact: String?
  }

  /// The same summed by recipient and day.
  func days(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let sums = try await AccessDays(surroundings: surroundings).sums(
      of: identity.account, behind: try AccessDayPlace(request.query), limit: limit)
    let page = sums.prefix(limit)
    let thirdParties = try await directory.thirdParties(
      Set(page.map(\.sum.thirdParty)).subtracting([.noAccount]))
    return .json { writer in
      writer.array("days") { writer in
        for row in page {
          let recipient = row.sum.thirdParty
          Self.write(
            row, recipient == .noAccount ? nil : thirdParties[recipient] ?? .gone, to: &writer)
        }
      }
      if sums.count > limit { writer.fieldIfPresent("next", page.last?.place.cursor) }
    }
  }

  private static func write(
    _ row: AccessDay, _ thirdParty: ThirdParty?, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("date", row.day.description)
      writer.fieldIfPresent("company_name", thirdParty?.companyName)
      writer.fieldIfPresent("piva", thirdParty?.vatNumber)
      writer.field("dataTypes", row.sum.types.map(\.name))
      writer.field("samples", row.sum.samples)
      writer.field("deliveries", row.sum.deliveries)
    }
  }

  private static func write(
    _ row: AccessRow, _ thirdParty: ThirdParty?, _ emergency: Emergency?,
    to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("number", row.number)
      writer.field("time", row.accessedAt.timestamp.description)
      writer.fieldIfPresent("company_name", thirdParty?.companyName)
      writer.fieldIfPresent("piva", thirdParty?.vatNumber)
      if let emergency {
        writer.fieldIfPresent("episodeID", emergency.episode?.description)
        writer.fieldIfPresent("contact", emergency.contact)
      } else {
        writer.fieldIfPresent("reqID", row.requestID?.description)
      }
      writer.field("dataTypes", row.types.map(\.name))
      writer.field("samples", Int64(row.count))
      writer.field("format", row.format.word)
    }
  }
}
