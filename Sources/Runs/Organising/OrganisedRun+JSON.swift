import Domain
import InternalAPI
import JSON
import ServiceKit
import Time

// Runs and their runners, as organisers see them.

extension RunRow {
  /// Writes the fields of the organiser's list.
  func write(
    to writer: inout JSONWriter, for caller: AccountID, along coOrganisers: [String],
    now: Instant
  ) {
    let state = RunState(
      startsAt: startsAt, endsAt: endsAt, now: now)
    writer.object {
      $0.field("runID", runID)
      $0.field("runName", name)
      if let code { $0.field("code", code) }
      if let description { $0.field("description", description) }
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.description)
      $0.field("endTime", endsAt.description)
      $0.field("enrolUntil", enrolUntil.description)
      $0.field("participants", participantsMax)
      $0.field("enrolled", enrolled)
      $0.field("state", state.rawValue)
      $0.field("published", code != nil)
      $0.field("cancelled", cancelledAt != nil)
      $0.fieldIfPresent("clausesVersion", clausesVersion)
      $0.field("coOrganised", organiser != caller)
      $0.field("coOrganisers", coOrganisers)
    }
  }
}

extension Participants.Row {
  /// Writes a runner with the name chosen for the run and, after the check-in, with the identity.
  func write(
    _ runnerName: String?, _ identity: KnownRunner?, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("number", number)
      writer.fieldIfPresent("runnerName", runnerName)
      writer.fieldIfPresent("full_name", identity?.name)
      writer.fieldIfPresent("email", identity?.email)
      writer.field("joinedAt", joinedAt.description)
      writer.field("checkedIn", isCheckedIn)
      writer.field("removed", isRemoved)
      writer.fieldIfPresent("clausesVersion", clausesVersion)
      writer.fieldIfPresent("clausesAcceptedAt", clausesAcceptedAt?.description)
    }
  }
}
