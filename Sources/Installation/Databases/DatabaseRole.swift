/// The login roles of the embedded database. Migrations grant their rights.
package enum DatabaseRole: String, CaseIterable, Sendable {
  /// The superuser, for operations that need one.
  case postgres
  /// Runs the migrations and owns the created objects.
  case owner = "trackme_owner"
  case data4help
  case track4run
  case gateway
}

/// The databases of the embedded cluster.
package enum DatabaseName: String, CaseIterable, Sendable {
  case trackme
  /// The wrapped account keys.
  case keys = "trackme_keys"
}
