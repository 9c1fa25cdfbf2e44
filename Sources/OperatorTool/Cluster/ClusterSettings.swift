/// The settings of the embedded server: little memory, no network listener, no personal data in its
/// log.
enum ClusterSettings {
  /// Sessions of all processes while one of them is replaced, on sixteen cores: Data4Help has some
  /// eleven for each loop of a replica, Track4Run some four. They take 14 MB more of shared memory
  /// than PostgreSQL's default, which is 100 (`postgres -C shared_memory_size`).
  private static let connectionsMax = 400

  static func arguments(sockets: String) -> [String] {
    let settings: [(String, String)] = [
      ("listen_addresses", ""), ("unix_socket_directories", sockets),
      ("unix_socket_permissions", "0700"), ("password_encryption", "scram-sha-256"),
      ("shared_buffers", "128MB"), ("max_connections", "\(connectionsMax)"),
      ("max_wal_size", "1GB"), ("wal_compression", "lz4"), ("jit", "off"),
      // For solid-state disks. With the default of 4, statements of a batch of accounts scan small
      // tables in full, with all their dead rows.
      ("random_page_cost", "1.1"),
      ("timezone", "UTC"), ("log_timezone", "UTC"),
      ("shared_preload_libraries", "pg_stat_statements"), ("cluster_name", "trackme"),
      // Statements, parameters and DETAIL rows may contain data that must not be logged.
      ("log_statement", "none"), ("log_min_error_statement", "panic"),
      ("log_parameter_max_length", "0"), ("log_parameter_max_length_on_error", "0"),
      ("log_error_verbosity", "terse"), ("log_min_duration_statement", "-1"),
      ("logging_collector", "off"), ("log_destination", "stderr"),
    ]
    return settings.flatMap { ["-c", "\($0.0)=\($0.1)"] }
  }

  /// Every role needs a password and can only connect through the private socket.
  static let hostBasedAuthentication = """
    # Written by trackme together with the passwords of the roles.
    local all all scram-sha-256

    """
}
