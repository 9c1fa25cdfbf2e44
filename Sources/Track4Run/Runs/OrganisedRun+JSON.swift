import Domain
import EventLoop
import JSON
import Services

// Runs and who is in them, as organisers see them.

extension RunRow {
  /// Writes the fields of the organiser's list.
  func write(
    to writer: inout JSONWriter, for caller: AccountID, along coOrganisers: [String],
    now: WallTime
  ) {
    let state = RunState(
      startsAt: startsAt.timestamp, endsAt: endsAt.timestamp, now: now.timestamp)
    writer.object {
      $0.field("runID", runID)
      $0.field("runName", name)
      if let code { $0.field("code", code) }
      if let description { $0.field("description", description) }
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.timestamp.description)
      $0.field("endTime", endsAt.timestamp.description)
      $0.field("enrolUntil", enrolUntil.timestamp.description)
      $0.field("participants", participantsMax)
      $0.field("enrolled", enrolled)
      $0.field("state", state.rawValue)
      $0.field("cancelled", cancelledAt != nil)
      $0.field("coOrganised", organiser != caller)
      $0.field("coOrganisers", coOrganisers)
    }
  }
}

extension Participants.Row {
  /// Writes somebody who is enrolled, with the name that was chosen for the run.
  func write(_ runnerName: String?, to writer: inout JSONWriter) {
    writer.object {
      $0.field("number", number)
      if let runnerName { $0.field("runnerName", runnerName) }
      $0.field("joinedAt", joinedAt.timestamp.description)
      $0.field("checkedIn", checkedInAt != nil)
    }
  }
}
