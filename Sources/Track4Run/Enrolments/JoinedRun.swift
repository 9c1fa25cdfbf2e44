import Domain
import EventLoop
import HTTP
import JSON
import Services

/// A run as its enrolled runners see it.
struct JoinedRun: RunInList, Sendable {
  let runID: Int64
  let code: String
  let name: String
  let organiser: String
  let place: String?
  let startsAt: WallTime
  let endsAt: WallTime
  let cancelledAt: WallTime?
  let number: Int32
  let sealedName: [UInt8]?
  let showsHealth: Bool
  let isFindable: Bool
  let isFindableByName: Bool
  let joinedAt: WallTime
  let checkedInAt: WallTime?
  let clausesVersion: Int32?
  let clausesAcceptedAt: WallTime?

  /// Writes the fields of the runner's list.
  func write(_ runnerName: String?, to writer: inout JSONWriter, now: WallTime) {
    let state = RunState(
      startsAt: startsAt.timestamp, endsAt: endsAt.timestamp, now: now.timestamp)
    writer.object {
      $0.field("runID", runID)
      $0.field("code", code)
      $0.field("runName", name)
      $0.field("organiser", organiser)
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.timestamp.description)
      $0.field("endTime", endsAt.timestamp.description)
      $0.field("state", state.rawValue)
      $0.field("cancelled", cancelledAt != nil)
      $0.field("number", number)
      if let runnerName { $0.field("runnerName", runnerName) }
      $0.field("showHealth", showsHealth)
      $0.field("findable", isFindable)
      $0.field("findableByName", isFindableByName)
      $0.field("joinedAt", joinedAt.timestamp.description)
      $0.field("checkedIn", checkedInAt != nil)
      $0.fieldIfPresent("clausesVersion", clausesVersion)
      $0.fieldIfPresent("clausesAcceptedAt", clausesAcceptedAt?.timestamp.description)
    }
  }
}
