import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import Time

/// Stored values that depend on the root secret and are rewritten when it is replaced.
package protocol RootSecretUse: Sendable {
  /// Rewrites all of them under the secret in use; can be repeated, and costs one pass over the
  /// stored values.
  ///
  /// - Throws: `StartError` for the operator; what was rewritten before it stays.
  func renew() async throws(StartError) -> RootSecretRenewal
}

/// The result of a rewriting.
package struct RootSecretRenewal: Sendable, Equatable {
  /// What was rewritten, for the operator.
  package let subject: String
  /// How many values were changed.
  package internal(set) var changed = 0
  /// How many values depend on no secret of the file; they are unchanged.
  package internal(set) var unreadable = 0

  /// No value yet.
  package init(of subject: String, changed: Int = 0, unreadable: Int = 0) {
    self.subject = subject
    self.changed = changed
    self.unreadable = unreadable
  }
}

/// A column that is sealed under a key derived from the root secret.
package protocol ServerSealedColumn: Sendable {
  /// Reads a page of sealed rows.
  associatedtype Page: Statement
  /// Stores rows sealed again, each only if it has not changed since; returns one row for each
  /// stored one. It waits for no row that a service has locked, so that it causes no deadlock.
  associatedtype Store: Statement

  /// The rows, for the operator.
  static var subject: String { get }
  /// The rows after one in the order of the primary key, at most `ServerSealingPage.max`.
  func page(after last: Page.Row?) -> Page
  /// The row's value under the secret in use; nil if it is sealed under that one.
  func resealed(_ row: Page.Row) throws(CryptographyError) -> [UInt8]?
  /// Stores values.
  func store(_ rows: [(row: Page.Row, sealed: [UInt8])]) -> Store
}

/// Seals the rows of one column again.
package struct ServerSealing<Column: ServerSealedColumn>: RootSecretUse {
  /// The pause before rows are read again that a service had locked.
  private let pause = Duration.milliseconds(50)
  private let lockMax: Duration
  private let column: Column
  private let database: Database
  private let loop: EventLoop

  /// For a column of this database, whose work runs on `loop`. It fails if a row is locked for
  /// longer than `lockMax`.
  package init(
    _ column: Column, in database: Database, on loop: EventLoop,
    lockMax: Duration = .seconds(600)
  ) {
    self.lockMax = lockMax
    self.column = column
    self.database = database
    self.loop = loop
  }

  /// Seals all rows again.
  ///
  /// - Throws: `StartError` if the database is unavailable, a row stays locked, or the work is
  ///   cancelled.
  package func renew() async throws(StartError) -> RootSecretRenewal {
    var renewal = RootSecretRenewal(of: Column.subject)
    var last: Column.Page.Row?
    var lockedSince: MonotonicInstant?
    while true {
      let rows = try await reading(column.page(after: last))
      guard let end = rows.last else { return renewal }
      var outdated: [(row: Column.Page.Row, sealed: [UInt8])] = []
      var unreadable = 0
      for row in rows {
        do throws(CryptographyError) {
          if let sealed = try column.resealed(row) { outdated.append((row, sealed)) }
        } catch {
          unreadable += 1
        }
      }
      let stored = outdated.isEmpty ? 0 : try await storing(column.store(outdated))
      renewal.changed += stored
      if stored == outdated.count {
        last = end
        renewal.unreadable += unreadable
        lockedSince = nil
      } else {
        let start = lockedSince ?? loop.now
        lockedSince = start
        guard loop.now - start < lockMax else {
          throw StartError(
            "A row of \(Column.subject) has been locked by a transaction for too long: "
              + "pg_stat_activity shows it. End it, and run the command again: it continues.")
        }
        try await rest()
      }
    }
  }

  private func reading<S: Statement>(_ statement: S) async throws(StartError) -> [S.Row] {
    do throws(PostgresError) { return try await database.read(statement) } catch {
      throw .rotation(error)
    }
  }

  private func storing(_ statement: Column.Store) async throws(StartError) -> Int {
    do throws(PostgresError) { return try await database.write(statement).count } catch {
      throw .rotation(error)
    }
  }

  private func rest() async throws(StartError) {
    do throws(CancellationError) { try await loop.wait(for: pause) } catch {
      throw StartError("The rotation was interrupted; run the command again.")
    }
  }
}

/// The size of pages of sealed rows.
package enum ServerSealingPage {
  /// The largest number of rows.
  package static let max = 500
}

extension StartError {
  /// A database failed during a rotation.
  package static func rotation(_ cause: PostgresError) -> StartError {
    StartError(
      "A database can't be used: \(cause.descriptionWithRemedy) Run the command again: it "
        + "continues.")
  }
}

extension PostgresError {
  /// The error for the operator, with a question that names the likely cause.
  var descriptionWithRemedy: String {
    if case .unavailable = self { "\(description) Is the database running?" } else { description }
  }
}
