import Domain
import JSON
import LiveRuns

// Properties of every event of a live run: it is refused, or parses to the same value from its own
// text, and transforms one frame into another or leaves it unchanged.

/// An event `positions` as received by a spectator's program.
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

/// Changes produce a frame that the difference between both frames reproduces, or change nothing.
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
    precondition(after == before, "refused changes have modified the frame")
    return
  }
  var again = before
  let isSame = (try? again.apply(after.changes(since: before))) != nil && again == after
  precondition(isSame, "the difference between two frames does not reproduce the second one")
}
