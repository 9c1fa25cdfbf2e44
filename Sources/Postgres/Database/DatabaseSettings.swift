/// A process's use of its database: address, number of connections, time limits.
///
/// The numbers are per event loop. The defaults suit a service: reads of one loop share two deep
/// connections, and more than sixteen writers in total bring no gain (measured before the design).
package struct DatabaseSettings: Sendable {
  /// How long a request of a service waits for a connection.
  package static let usualWait = Duration.seconds(2)
  /// How long requests wait for the next primary after the announcement of a handover. A switchover
  /// takes about 3 s (operations.md), and a statement may take 10 s.
  package static let handoverMax = Duration.seconds(8)
  /// The longest time that a request waits for a connection: the usual one, then a handover that
  /// ends without another primary.
  package static let longestWait = usualWait + handoverMax + .seconds(1)

  /// A libpq connection URL. The user in it is the role. Where it names several hosts, all are
  /// asked at the same time, and the primary is used.
  package var url: String
  /// The name that the server shows in `pg_stat_activity`.
  package var applicationName: String
  /// Connections shared by reads.
  package var readConnections = 2
  /// Connections that a write or a transaction uses exclusively.
  package var writeConnections = 4
  /// How long a request waits for a connection, for example during a restart of the server.
  package var waitMax = Self.usualWait
  /// How many requests may wait; further ones fail at once.
  package var waitersMax = 10_000
  /// How long a statement may take unless the call sets its own limit.
  package var statementMax = Duration.seconds(10)
  /// How long a transaction may wait for its next statement before the server ends it, so that a
  /// process that hangs does not keep its locks.
  package var transactionIdleMax = Duration.seconds(15)
  /// How long one attempt to connect to a host may take.
  package var connectMax = Duration.seconds(3)
  /// The age at which a connection is replaced.
  package var lifetimeMax = Duration.seconds(3600)

  /// Creates settings for this URL with the defaults above.
  package init(url: String, applicationName: String) {
    self.url = url
    self.applicationName = applicationName
  }
}
