import Postgres

/// All statements on live runs, listed for the schema check.
package enum LiveStatements {
  /// The statements of all folders.
  package static let all: [any Statement.Type] =
    FollowedRunStatements.all + SpectatorCountStatements.all
    + [PauseSharing.self, NoteLostSignals.self]
}
