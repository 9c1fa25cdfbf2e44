/// Who logs in to the embedded database. The rights of each come from the migrations.
enum DatabaseRole: String, CaseIterable, Sendable {
  /// The superuser, for what only it can do.
  case postgres
  /// Runs the migrations and owns what they make.
  case owner = "trackme_owner"
  case data4help
  case track4run
  case gateway
}

/// The databases of the embedded cluster.
enum DatabaseName: String, CaseIterable, Sendable {
  case trackme
  /// The wrapped account keys.
  case keys = "trackme_keys"
}
