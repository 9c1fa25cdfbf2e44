import Domain
import EventLoop
import JSON
import Services

/// A published run as everybody may see it.
package struct ListedRun: RunInList, Sendable {
  /// Its number.
  package let runID: Int64
  /// The word by which people find it.
  package let code: String
  /// Its name.
  package let name: String
  /// Where it is, in words, where something was said.
  package let place: String?
  /// When it starts.
  package let startsAt: WallTime
  /// When it ends.
  package let endsAt: WallTime
  /// Where its path ends, degrees north.
  package let endLatitude: Double
  /// Where its path ends, degrees east.
  package let endLongitude: Double
  /// How many may join.
  package let participantsMax: Int32
  /// How many have joined.
  package let enrolled: Int32
  /// The name of the company that organises it.
  package let organiser: String
  /// Whether it has a picture.
  package let hasPicture: Bool
}

extension ListedRun {
  private func state(at now: WallTime) -> RunState {
    RunState(startsAt: startsAt.timestamp, endsAt: endsAt.timestamp, now: now.timestamp)
  }

  /// Writes the fields of the public list.
  func write(to writer: inout JSONWriter, _ links: PublicLinks, now: WallTime) {
    writer.object {
      $0.field("runID", runID)
      $0.field("code", code)
      $0.field("runName", name)
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.timestamp.description)
      $0.field("endTime", endsAt.timestamp.description)
      $0.field("endPoint", "\(endLatitude),\(endLongitude)")
      $0.field("participants", participantsMax)
      $0.field("enrolled", enrolled)
      $0.field("state", state(at: now).rawValue)
      $0.field("organiser", organiser)
      if hasPicture { $0.field("picture", links.picture(code)) }
    }
  }
}
