/// How a process uses its database: where it is, how many connections, how long to wait.
///
/// The numbers are per event loop. The defaults suit a service: reads of one loop share two deep
/// connections, and sixteen writers in all are the most that helps (measured before the design).
package struct DatabaseSettings: Sendable {
  /// A libpq connection URL; may name several hosts, the primary among them is used. The user in it
  /// is the role.
  package var url: String
  /// What the server shows of us in `pg_stat_activity`.
  package var applicationName: String
  /// Connections that reads share.
  package var readConnections = 2
  /// Connections of which a write or a transaction has one to itself.
  package var writeConnections = 4
  /// How long a request waits for a connection, as during a restart of the server.
  package var waitMax = Duration.seconds(2)
  /// How many requests wait at once; beyond it they fail at once.
  package var waitersMax = 10_000
  /// How long a statement may take where the call gives no time of its own.
  package var statementMax = Duration.seconds(10)
  /// How long one attempt to connect may take.
  package var connectMax = Duration.seconds(3)
  /// The age at which a connection is replaced.
  package var lifetimeMax = Duration.seconds(3600)

  /// The settings for this URL, with the defaults above.
  package init(url: String, applicationName: String) {
    self.url = url
    self.applicationName = applicationName
  }
}
