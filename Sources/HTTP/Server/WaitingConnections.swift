/// The idle connections of a shard, the longest idle first: that one is closed when the shard is
/// full. All operations take constant time.
///
/// Each connection of the shard has a place for its whole life, so that a change of its phase
/// neither allocates nor counts references.
struct WaitingConnections {
  /// No place.
  static let nowhere = -1

  private struct Place {
    /// Nil for a free place.
    var connection: ServerConnection?
    var isWaiting = false
    var previous = nowhere
    /// The next idle connection, or the next free place.
    var next = nowhere
  }

  private var places: [Place] = []
  private var firstIndex = nowhere
  private var lastIndex = nowhere
  private var free = nowhere

  /// The connection that has been idle longest.
  var first: ServerConnection? {
    firstIndex == Self.nowhere ? nil : places[firstIndex].connection
  }

  /// Assigns a place, which is not among the idle ones yet.
  mutating func add(_ connection: ServerConnection) -> Int {
    guard free != Self.nowhere else {
      places.append(Place(connection: connection))
      return places.count - 1
    }
    let place = free
    free = places[place].next
    places[place] = Place(connection: connection)
    return place
  }

  /// Frees the place of a closed connection.
  mutating func free(_ place: Int) {
    remove(place)
    places[place] = Place(next: free)
    free = place
  }

  /// Appends a connection that has just become idle.
  mutating func append(_ place: Int) {
    remove(place)
    places[place].isWaiting = true
    places[place].previous = lastIndex
    places[place].next = Self.nowhere
    if lastIndex == Self.nowhere { firstIndex = place } else { places[lastIndex].next = place }
    lastIndex = place
  }

  /// Removes a connection that is no longer idle; no effect if it was not in the list.
  mutating func remove(_ place: Int) {
    guard places[place].isWaiting else { return }
    let previous = places[place].previous
    let next = places[place].next
    places[place].isWaiting = false
    if previous == Self.nowhere { firstIndex = next } else { places[previous].next = next }
    if next == Self.nowhere { lastIndex = previous } else { places[next].previous = previous }
  }
}
