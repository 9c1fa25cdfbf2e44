import Postgres

/// All statements on runs, listed for the schema check.
package enum RunStatements {
  /// The statements of all folders.
  package static let all: [any Statement.Type] =
    [PublishedRuns.self, RunsOfOrganiser.self, Participants.self]
    + OrganisingStatements.all + MovingStatements.all + ClausesStatements.all
    + EnrolmentStatements.all + CheckInStatements.all + StartStatements.all
    + CheckInAnswerStatements.all + InvitationStatements.all + DepartureStatements.all
    + ResultStatements.all + PublicRunStatements.all + RunDataStatements.all + EraseStatements.all
}
