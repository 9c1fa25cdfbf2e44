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
    let translations = try await database.rows(DocumentTranslations())
    return .json { writer in
      writer.array("documents") { writer in
        for row in rows {
          writer.object { writer in
            writer.field("document", row.document.rawValue)
            writer.field("version", row.version)
            writer.field("title", row.title)
            writer.field("text", row.body)
            writer.field("publishedAt", row.publishedAt.description)
            writer.field(
              "accountTypes",
              AccountKind.allCases.filter(row.document.concerns).map(\.rawValue))
            Self.write(
              translations.filter { $0.document == row.document && $0.version == row.version },
              to: &writer)
          }
        }
      }
    }
  }

  private static func write(
    _ translations: [DocumentTranslations.Row], to writer: inout JSONWriter
  ) {
    writer.array("translations") { writer in
      for translation in translations {
        writer.object {
          $0.field("language", translation.language.rawValue)
          $0.field("title", translation.title)
          $0.field("text", translation.body)
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
