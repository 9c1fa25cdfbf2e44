/// A migration as the program has it.
struct Migration: Equatable {
  let file: MigrationFile
  let sha256: String

  /// The migrations that are still to be applied.
  ///
  /// Throws `.changed` if one that was applied is not the same any more (name or text), and
  /// `.unknownNewer` if one was applied that is not among these.
  static func pending(
    of migrations: [Migration], after applied: [AppliedMigration]
  ) throws(MigrationError) -> [Migration] {
    var pending = migrations[...]
    for old in applied {
      guard let next = pending.popFirst() else { throw .unknownNewer(old.name) }
      guard next.file.number == old.number, next.file.name == old.name, next.sha256 == old.sha256
      else { throw .changed(old.name) }
    }
    return Array(pending)
  }
}

/// A migration as the database remembers it.
struct AppliedMigration: Equatable {
  let number: Int
  let name: String
  let sha256: String
}
