import Accounts
import Bytes
import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Shows a person who received which data, and when (REQ-5).
package struct AccessRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these accounts.
  package init(
    database: Database, zone: TimeZoneRules, directory: AccountDirectory,
    emergencies: any AccessedEmergencySource
  ) {
    let list = AccessList(
      database: database, zone: zone, directory: directory, source: emergencies)
    all = [
      EndpointRoutes().identified(.accesses) { (request, identity) throws(ApplicationError) in
        if request.query["by"] != nil { return try await list.days(request, identity) }
        return try await list.page(request, identity)
      }
    ]
  }
}

struct AccessList: Sendable {
  let database: Database
  let zone: TimeZoneRules
  let directory: AccountDirectory
  let source: any AccessedEmergencySource

  func page(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let before = try PageCursor.words(.accesses, in: request.query)
      .map { Int64(bitPattern: $0[0]) }
    let rows = try await database.rows(
      NewestAccesses(account: identity.account, before: before ?? .max, limit: limit + 1))
    let page = rows.prefix(limit)
    let thirdParties = try await directory.thirdParties(
      Set(page.map(\.thirdParty)).subtracting([.noAccount]))
    let emergencies = try await emergencies(of: page, identity.account)
    return .json { writer in
      writer.array("accesses") { writer in
        for row in page {
          let thirdParty =
            row.thirdParty == .noAccount ? nil : thirdParties[row.thirdParty] ?? .deleted
          let emergency = row.requestID.flatMap { emergencies[$0] }
          Self.write(row, thirdParty, emergency, to: &writer)
        }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.accesses, [UInt64(bitPattern: last.number)]))
      }
    }
  }

  /// The emergencies among the entries.
  private func emergencies(
    of page: ArraySlice<AccessRow>, _ account: AccountID
  ) async throws(ApplicationError) -> [DataRequestID: AccessedEmergency] {
    let ids = Set(page.compactMap(\.requestID)).map { UniversalID(high: $0.high, low: $0.low) }
    let found = try await source.named(by: ids, of: account)
    return Dictionary(
      uniqueKeysWithValues: found.map { (DataRequestID(high: $0.high, low: $0.low), $1) })
  }

  /// The deliveries summed by recipient and day.
  func days(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let sums = try await AccessDays(database: database, zone: zone).sums(
      of: identity.account, after: try AccessDayCursor(request.query), limit: limit)
    let page = sums.prefix(limit)
    let thirdParties = try await directory.thirdParties(
      Set(page.map(\.sum.thirdParty)).subtracting([.noAccount]))
    return .json { writer in
      writer.array("days") { writer in
        for row in page {
          let recipient = row.sum.thirdParty
          Self.write(
            row, recipient == .noAccount ? nil : thirdParties[recipient] ?? .deleted, to: &writer)
        }
      }
      if sums.count > limit { writer.fieldIfPresent("next", page.last?.cursor.text) }
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
    _ row: AccessRow, _ thirdParty: ThirdParty?, _ emergency: AccessedEmergency?,
    to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("number", row.number)
      writer.field("time", row.accessedAt.description)
      writer.fieldIfPresent("company_name", thirdParty?.companyName)
      writer.fieldIfPresent("piva", thirdParty?.vatNumber)
      if let emergency {
        writer.fieldIfPresent("episodeID", emergency.id?.description)
        writer.fieldIfPresent("contact", emergency.contact)
      } else {
        writer.fieldIfPresent("reqID", row.requestID?.description)
      }
      writer.field("dataTypes", row.types.map(\.name))
      writer.field("samples", Int64(row.count))
      writer.field("format", row.format.apiName)
    }
  }
}
