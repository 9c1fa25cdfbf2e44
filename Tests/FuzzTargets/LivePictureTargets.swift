import Domain
import JSON
import Track4Run

// What must hold of an event of a live run, whoever sends it: it is refused, or reads the same from
// its own text, and leads from a picture to another or leaves it as it is.

/// An event `positions` as a spectator's program gets it.
package func fuzzPositionsEvent(_ bytes: [UInt8]) {
  guard let event = try? JSONReader.read(PositionsEvent.self, from: bytes) else { return }
  var writer = JSONWriter()
  switch event {
  case .full(let picture): writer.value(picture)
  case .changes(let changes): writer.value(changes)
  }
  let limits = JSONLimits(bytesMax: .max, stringBytesMax: .max)
  let again = try? JSONReader.read(PositionsEvent.self, from: writer.bytes, limits: limits)
  precondition(again == event, "an event reads differently from its own text")
  if case .changes(let changes) = event { follow(changes) }
}

/// Changes lead to a picture that is led to again by what lies between, or change nothing.
private func follow(_ changes: LiveChanges) {
  let spot = LiveSpot(latitudeE5: 4_546_420, longitudeE5: 919_000, metres: 1_031, second: 300)
  let before = LivePicture(
    number: changes.number &- 1,
    runners: [
      1: LiveRunner(name: "Anna", status: .running, spot: spot),
      2: LiveRunner(name: "Bruno", status: .paused, spot: nil),
      7: LiveRunner(name: "7", status: .checkedIn, spot: nil),
      412: LiveRunner(name: "412", status: .finished, spot: spot),
    ])
  var after = before
  do throws(LiveChangesError) { try after.apply(changes) } catch {
    precondition(after == before, "changes that were refused have changed something")
    return
  }
  var again = before
  let isSame = (try? again.apply(after.changes(since: before))) != nil && again == after
  precondition(isSame, "what lies between two pictures does not lead from one to the other")
}
