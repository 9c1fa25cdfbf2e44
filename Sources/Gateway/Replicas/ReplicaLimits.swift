/// How much a loop keeps under way at the replicas of a service, and waiting for them.
package struct ReplicaLimits: Sendable {
  /// Uploads under way at a time on a connection: two batches for each of the replica's two
  /// writers, one that is written and one that gathers, and as many again on their way. What waits,
  /// waits in the gateway, where an alarm does not wait behind it.
  package var uploadsMax = 512
  /// Requests of a lane that wait at the same time.
  package var waitersMax = 4096
  /// How long a request waits while no replica takes it; a replica that was killed is usually back
  /// by then.
  package var waitMax = Duration.seconds(2)

  /// The limits of a gateway that serves.
  package init() {}
}
