import Domain
import Postgres
import Time

extension LegalDocument: PostgresValue {}

/// The newest version of each document: at most four rows.
struct NewestDocuments: Statement {
  struct Row: Sendable {
    let document: LegalDocument
    let version: String
  }
  static let sql: SQL<Self> = """
    SELECT DISTINCT ON (document) document, version
      FROM data4help.documents
     ORDER BY document, published_at DESC, version DESC
    """
  static let columns = Columns(Row.init)
}

/// The same with their texts.
struct PublishedDocuments: Statement {
  struct Row: Sendable {
    let document: LegalDocument
    let version: String
    let title: String
    let body: String
    let publishedAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT DISTINCT ON (document) document, version, title, body, published_at
      FROM data4help.documents
     ORDER BY document, published_at DESC, version DESC
    """
  static let columns = Columns(Row.init)
}

/// The texts by language of the newest version of each document: at most eight rows.
struct DocumentTranslations: Statement {
  struct Row: Sendable {
    let document: LegalDocument
    let version: String
    let language: Language
    let title: String
    let body: String
  }
  static let sql: SQL<Self> = """
    SELECT translation.document, translation.version, translation.language, translation.title,
           translation.body
      FROM data4help.document_translations AS translation
      JOIN (SELECT DISTINCT ON (document) document, version
              FROM data4help.documents
             ORDER BY document, published_at DESC, version DESC) AS newest
        ON newest.document = translation.document
       AND newest.version = translation.version
     ORDER BY translation.document, translation.language
    """
  static let columns = Columns(Row.init)
}

struct InsertConsents: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.consents (account_id, document, version, given_at)
    SELECT \(\.account), given.document, given.version, \(\.at)
      FROM unnest(\(\.documents), \(\.versions)) AS given (document, version)
        ON CONFLICT (account_id, document, version) DO NOTHING
    """
  let account: AccountID
  let documents: [String]
  let versions: [String]
  let at: Instant
}

/// The consents of an account, by its key.
struct GivenConsents: Statement {
  struct Row: Sendable {
    let document: LegalDocument
    let version: String
    let givenAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT document, version, given_at
      FROM data4help.consents
     WHERE account_id = \(\.account)
     ORDER BY given_at DESC, document
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}
