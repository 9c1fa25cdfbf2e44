import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// The person's view of who got what and when (REQ-5).
package struct AccessRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these accounts.
  package init(_ surroundings: Surroundings, directory: AccountDirectory) {
    let list = AccessList(surroundings: surroundings, directory: directory)
    all = [surroundings.routes.identified(.accesses, list.page)]
  }
}

struct AccessList: Sendable {
  let surroundings: Surroundings
  let directory: AccountDirectory

  func page(_ request: Request, _ identity: Identity) async throws(Problem) -> Response {
    let limit = PageLimit.count(request.query)
    let before = try PageCursor.words(.accesses, in: request.query)
      .map { Int64(bitPattern: $0[0]) }
    let rows = try await surroundings.database.rows(
      NewestAccesses(account: identity.account, before: before ?? .max, limit: limit + 1))
    let page = rows.prefix(limit)
    let thirdParties = try await directory.thirdParties(Set(page.map(\.thirdParty)))
    return .json { writer in
      writer.array("accesses") { writer in
        for row in page { Self.write(row, thirdParties[row.thirdParty] ?? .gone, to: &writer) }
      }
      if rows.count > limit, let last = page.last {
        writer.field("next", PageCursor.text(.accesses, [UInt64(bitPattern: last.number)]))
      }
    }
  }

  private static func write(
    _ row: AccessRow, _ thirdParty: ThirdParty, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("number", row.number)
      writer.field("time", row.accessedAt.timestamp.description)
      writer.field("company_name", thirdParty.companyName)
      writer.field("piva", thirdParty.vatNumber)
      writer.fieldIfPresent("reqID", row.requestID?.description)
      writer.field("dataTypes", row.types.map(\.name))
      writer.field("samples", Int64(row.count))
      writer.field("format", row.format.word)
    }
  }
}
