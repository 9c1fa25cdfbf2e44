import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The documents that the operator has published, and the consents of an account (ACC-2).
package struct ConsentRoutes: Sendable {
  private let database: Database

  /// Routes of one loop.
  package init(database: Database) {
    self.database = database
  }

  /// The rows of the route table.
  package var all: [Route] {
    [
      EndpointRoutes().open(.documents, documents),
      EndpointRoutes().identified(.consents, consents),
    ]
  }

  private func documents(_ request: Request) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(PublishedDocuments())
    return .json { writer in
      writer.array("documents") { writer in
        for row in rows {
          writer.object {
            $0.field("document", row.document.rawValue)
            $0.field("version", row.version)
            $0.field("title", row.title)
            $0.field("text", row.body)
            $0.field("publishedAt", row.publishedAt.description)
            $0.field(
              "accountTypes",
              AccountKind.allCases.filter(row.document.concerns).map(\.rawValue))
          }
        }
      }
    }
  }

  private func consents(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(GivenConsents(account: identity.account))
    return Response.json { writer in
      writer.array("consents") { writer in
        for row in rows {
          writer.object {
            $0.field("document", row.document.rawValue)
            $0.field("version", row.version)
            $0.field("givenAt", row.givenAt.description)
          }
        }
      }
    }.notStored()
  }
}
