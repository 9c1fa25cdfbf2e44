/// How many requests of a loop may be in flight at a service's replicas, or wait for them.
package struct ReplicaLimits: Sendable {
  /// The limit of uploads in flight on a connection: two batches for each of the replica's two
  /// writers, one being written and one being collected, and the same amount in transit. Further
  /// uploads wait in the gateway, where they do not delay an alarm.
  package var uploadsMax = 512
  /// The limit of waiting requests of a priority class.
  package var waitersMax = 4096
  /// How long a request waits while no replica accepts it; a killed replica has usually restarted
  /// by then.
  package var waitMax = Duration.seconds(2)

  /// Creates the limits of a gateway in production.
  package init() {}
}
