/// A migration in the program.
struct Migration: Equatable {
  let file: MigrationFile
  let sha256: String

  /// SHA-256 of the first migrations of the data and of the keys before 0.1.0, which the present
  /// ones replace.
  private static let firstBeforeRelease: Set = [
    "f8d4899f2fd6e30655d91d57981b0373d68ca575849e4a9b7ec7f991f4638079",
    "e8d9b63e96384bdc93e33f393290134c8d07009d6e4d3f471046295dbc4f89f6",
  ]

  /// The migrations that are still to be applied.
  ///
  /// Throws `.beforeFirstRelease` for the history of a version before 0.1.0, `.changed` if the name
  /// or text of an applied migration has changed, and `.unknownNewer` if an applied migration is
  /// not among these.
  static func pending(
    of migrations: [Migration], after applied: [AppliedMigration]
  ) throws(MigrationError) -> [Migration] {
    if let first = applied.first, firstBeforeRelease.contains(first.sha256) {
      throw .beforeFirstRelease
    }
    var pending = migrations[...]
    for old in applied {
      guard let next = pending.popFirst() else { throw .unknownNewer(old.name) }
      guard next.file.number == old.number, next.file.name == old.name, next.sha256 == old.sha256
      else { throw .changed(old.name) }
    }
    return Array(pending)
  }
}

/// A migration recorded in the database.
struct AppliedMigration: Equatable {
  let number: Int
  let name: String
  let sha256: String
}
