import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Services

/// What a third party takes of a group request (R24, R29): the window that the cursor names, the
/// first without one.
struct GroupDelivery: Sendable {
  let surroundings: Surroundings

  /// The release; nil if no group request of this third party has the identifier.
  func deliver(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response?
  {
    guard let requestID = request.query["reqID"].flatMap({ DataRequestID($0) }) else { return nil }
    let row = try await surroundings.database.row(GroupRequestByID(requestID: requestID))
    guard let row, row.thirdParty == identity.account else { return nil }
    let format = request.query["format"] ?? "json"
    try check(row, format)
    let number = try number(request.query, of: requestID)
    let found = try await surroundings.database.rows(
      StatisticsOfRelease(requestID: requestID, number: number))
    if format == "csv" { return file(requestID, found) }
    var next: String?
    if row.isSubscribing {
      let newest = try await surroundings.database.row(NewestRelease(requestID: requestID)) ?? 0
      // Workers release what is left before they end a subscription, hence the row and not the
      // clock.
      if row.status == .approved || newest > number {
        let place = found.isEmpty ? number : number + 1
        next = PageCursor.text(
          .group, [requestID.high, requestID.low, UInt64(UInt32(bitPattern: place))])
      }
    }
    return .json(document(requestID, found, next: next))
  }

  /// - Throws: 409 for a request that was refused, 402 for one that was not paid, 400 for a format
  ///   that groups do not come in.
  private func check(_ row: GroupRequestRow, _ format: String) throws(ApplicationError) {
    guard row.status != .refused else {
      throw .conflict("The request was refused: \(row.reason?.words ?? "").")
    }
    guard row.priceCents == 0 || row.paidAt != nil else {
      throw row.isDue(at: surroundings.world.now())
        ? .paymentDue(row.priceCents) : .conflict("The request ended before it was paid.")
    }
    guard format == "json" || format == "csv" else {
      throw .invalid("A group's statistics come as json or csv.", field: "format")
    }
  }

  /// The newest release as the bytes of a file; nil if no group request of this third party has
  /// the identifier.
  ///
  /// - Throws: 409 where nothing was released, 400 for a format that groups do not come in.
  func newest(
    _ requestID: DataRequestID, for thirdParty: AccountID, _ format: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [UInt8]? {
    let row = try await transaction.runOne(GroupRequestByID(requestID: requestID))
    guard let row, row.thirdParty == thirdParty else { return nil }
    try check(row, format)
    guard let number = try await transaction.runOne(NewestRelease(requestID: requestID)) else {
      throw .conflict("Nothing of the subscription was released yet.")
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

  /// The answer: what was released stands in it byte for byte.
  private func document(
    _ requestID: DataRequestID, _ found: [StatisticsOfRelease.Row], next: String?
  ) -> [UInt8] {
    var bytes = Array("{\"reqID\":\"\(requestID)\"".utf8)
    if let first = found.first, let released = found.map(\.releasedAt).max() {
      let people = found.map(\.shownPeople).max() ?? 0
      let from = surroundings.zone.start(of: CalendarDate(daysSince1970: Int(first.firstDay)))
      let to = surroundings.zone.start(of: CalendarDate(daysSince1970: Int(first.lastDay) + 1))
      bytes += ",\"people\":\(people),\"from\":\"\(from)\",\"to\":\"\(to)\"".utf8
      bytes += ",\"releasedAt\":\"\(released.timestamp)\"".utf8
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
