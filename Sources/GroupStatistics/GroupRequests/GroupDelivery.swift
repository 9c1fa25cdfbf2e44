import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import ServiceKit
import Sharing
import Web

/// Delivers a group request to its third party (R24, R29): the window that the cursor names, the
/// first one without a cursor.
struct GroupDelivery: Sendable {
  let environment: Environment
  let database: Database
  let zone: TimeZoneRules

  /// The release; nil if this third party has no group request with the identifier.
  func deliver(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response?
  {
    guard let requestID = request.query["reqID"].flatMap({ DataRequestID($0) }) else { return nil }
    let row = try await database.row(GroupRequestByID(requestID: requestID))
    guard let row, row.thirdParty == identity.account else { return nil }
    let format = request.query["format"] ?? "json"
    try check(row, format)
    let number = try number(request.query, of: requestID)
    let found = try await database.rows(
      StatisticsOfRelease(requestID: requestID, number: number))
    if format == "csv" { return file(requestID, found) }
    var next: String?
    if row.isSubscribing {
      let newest = try await database.row(NewestRelease(requestID: requestID)) ?? 0
      // The row decides and not the clock: workers release the last windows before they end a
      // subscription.
      if row.status == .approved || newest > number {
        let place = found.isEmpty ? number : number + 1
        next = PageCursor.text(
          .group, [requestID.high, requestID.low, UInt64(UInt32(bitPattern: place))])
      }
    }
    return .json(document(requestID, found, next: next))
  }

  /// - Throws: `conflict` for a refused request, `paymentDue` for an unpaid one, `invalid` for a
  ///   format that groups don't have.
  private func check(_ row: GroupRequestRow, _ format: String) throws(ApplicationError) {
    guard row.status != .refused else {
      throw .conflict("The request was refused: \(row.reason?.apiName ?? "").")
    }
    guard row.priceCents == 0 || row.paidAt != nil else {
      throw row.isDue(at: environment.now())
        ? .paymentDue(row.priceCents) : .conflict("The request ended before it was paid.")
    }
    guard format == "json" || format == "csv" else {
      throw .invalid("A group's statistics come as json or csv.", field: "format")
    }
  }

  /// The newest release as the bytes of a file; nil if this third party has no group request with
  /// the identifier.
  ///
  /// - Throws: `conflict` if nothing was released, `invalid` for a format that groups don't have.
  func newest(
    _ requestID: DataRequestID, for thirdParty: AccountID, _ format: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8]? {
    let row = try await transaction.runOne(GroupRequestByID(requestID: requestID))
    guard let row, row.thirdParty == thirdParty else { return nil }
    try check(row, format)
    guard let number = try await transaction.runOne(NewestRelease(requestID: requestID)) else {
      throw .conflict("No window of the subscription has been released yet.")
    }
    let found = try await transaction.run(
      StatisticsOfRelease(requestID: requestID, number: number))
    return format == "csv" ? Self.rows(found) : document(requestID, found, next: nil)
  }

  private static func rows(_ found: [StatisticsOfRelease.Row]) -> [UInt8] {
    ReleaseDocuments.headerRow + found.flatMap(\.csv)
  }

  private func number(_ query: Query, of requestID: DataRequestID) throws(ApplicationError) -> Int32
  {
    guard let words = try PageCursor.words(.group, in: query) else { return 1 }
    guard words[0] == requestID.high, words[1] == requestID.low,
      let number = Int32(exactly: words[2]), number >= 1, number < .max
    else { throw PageCursor.wrong }
    return number
  }

  /// The response, which contains the released document byte for byte.
  private func document(
    _ requestID: DataRequestID, _ found: [StatisticsOfRelease.Row], next: String?
  ) -> [UInt8] {
    var bytes = Array("{\"reqID\":\"\(requestID)\"".utf8)
    if let first = found.first, let released = found.map(\.releasedAt).max() {
      let people = found.map(\.shownPeople).max() ?? 0
      let from = zone.start(of: CalendarDate(daysSince1970: Int(first.firstDay)))
      let to = zone.start(of: CalendarDate(daysSince1970: Int(first.lastDay) + 1))
      bytes += ",\"people\":\(people),\"from\":\"\(from)\",\"to\":\"\(to)\"".utf8
      bytes += ",\"releasedAt\":\"\(released)\"".utf8
    }
    bytes += ",\"dataTypes\":[".utf8
    bytes += found.map(\.document).joined(separator: Array(",".utf8))
    bytes += "]".utf8
    let parts = found.map(\.parts).filter { !$0.isEmpty }
    if !parts.isEmpty {
      bytes += ",\"groups\":[".utf8
      bytes += parts.joined(separator: Array(",".utf8))
      bytes += "]".utf8
    }
    if let next { bytes += ",\"next\":\"\(next)\"".utf8 }
    bytes += "}".utf8
    return bytes
  }

  private func file(
    _ requestID: DataRequestID, _ found: [StatisticsOfRelease.Row]
  ) -> Response {
    let rows = Self.rows(found)
    var response = Response.stream(contentType: "text/csv; charset=utf-8") { writer in
      try await writer.write(rows)
    }
    response.fields.append("content-disposition", "attachment; filename=\"\(requestID).csv\"")
    return response
  }
}
