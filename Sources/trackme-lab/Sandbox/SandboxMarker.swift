import Domain
import EventLoop
import Operations

/// The file `sandbox` in the state directory: which town was begun, and whether it is complete.
///
/// An interrupted town is completed with the same people and days, even on another day.
package struct SandboxMarker: Equatable, Sendable {
  /// Whether all parts of the town exist.
  package var isComplete: Bool
  /// The seed and the size of the town.
  package let seed: UInt64
  package let people: Int
  package let days: Int
  /// The day on which it was begun.
  package let today: CalendarDate

  private static let name = "sandbox"

  /// The marker of a town that is begun on this day.
  package init(_ order: SandboxOrder, on today: CalendarDate) {
    isComplete = false
    (seed, people, days) = (order.seed, order.people, order.days)
    self.today = today
  }

  /// The marker in a line of the file, such as `complete 1 1200 365 2026-11-27`; nil for another
  /// text.
  package init?(line: String) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 5, ["begun", "complete"].contains(words[0]),
      let seed = UInt64(words[1]), let people = Int(words[2]), let days = Int(words[3]),
      let today = try? CalendarDate(words[4])
    else { return nil }
    isComplete = words[0] == "complete"
    (self.seed, self.people, self.days, self.today) = (seed, people, days, today)
  }

  /// The line of the file.
  package var line: String {
    "\(isComplete ? "complete" : "begun") \(seed) \(people) \(days) \(today)"
  }

  /// The town of the marker.
  package var town: Town {
    get throws(StartError) { try Town(people: people, days: days, seed: seed, today: today) }
  }

  /// Whether an order asks for the same town.
  package func agrees(with order: SandboxOrder) -> Bool {
    (seed, people, days) == (order.seed, order.people, order.days)
  }

  /// The marker of an installation; nil without a town.
  ///
  /// - Throws: `StartError` for a damaged file.
  static func read(_ state: StateDirectory) throws(StartError) -> SandboxMarker? {
    let path = state.file(name)
    guard FileSystem.exists(path) else { return nil }
    do throws(SystemError) {
      let bytes = try FileSystem.read(path, bytesMax: 1_000)
      if let marker = SandboxMarker(line: String(decoding: bytes, as: UTF8.self)) { return marker }
    } catch {
      throw StartError("\(path) can't be read", error)
    }
    throw StartError("\(path) is damaged: it should name the town that was made.")
  }

  /// - Throws: `StartError` if the file can't be written.
  func write(_ state: StateDirectory) throws(StartError) {
    let path = state.file(Self.name)
    do throws(SystemError) {
      try FileSystem.writeAtomically(path, Array((line + "\n").utf8))
    } catch {
      throw StartError("\(path) can't be written", error)
    }
  }
}
