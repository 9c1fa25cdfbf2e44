import Domain
import JSON
import ServiceKit
import Time

/// A published run in its public form.
package struct ListedRun: RunInList, Sendable {
  /// Its number.
  package let runID: Int64
  /// The code by which people find it.
  package let code: String
  /// Its name.
  package let name: String
  /// The name of its place, if given.
  package let place: String?
  /// Its start.
  package let startsAt: Instant
  /// Its end.
  package let endsAt: Instant
  /// The latitude of the path's end, in degrees.
  package let endLatitude: Double
  /// The longitude of the path's end, in degrees.
  package let endLongitude: Double
  /// The largest number of runners.
  package let participantsMax: Int32
  /// The number of enrolled runners.
  package let enrolled: Int32
  /// The name of the company that organises it.
  package let organiser: String
  /// Whether it has a picture.
  package let hasPicture: Bool
}

extension ListedRun {
  private func state(at now: Instant) -> RunState {
    RunState(startsAt: startsAt, endsAt: endsAt, now: now)
  }

  /// Writes the fields of the public list.
  func write(to writer: inout JSONWriter, _ links: PublicLinks, now: Instant) {
    writer.object {
      $0.field("runID", runID)
      $0.field("code", code)
      $0.field("runName", name)
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.description)
      $0.field("endTime", endsAt.description)
      $0.field("endPoint", "\(endLatitude),\(endLongitude)")
      $0.field("participants", participantsMax)
      $0.field("enrolled", enrolled)
      $0.field("state", state(at: now).rawValue)
      $0.field("organiser", organiser)
      if hasPicture { $0.field("picture", links.picture(code)) }
    }
  }
}
