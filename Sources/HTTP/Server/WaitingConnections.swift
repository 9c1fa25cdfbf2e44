/// The idle connections of a shard, the longest idle first: that one is closed when the shard is
/// full. All operations take constant time.
struct WaitingConnections {
  /// The links of a connection in the list.
  struct Place {
    var isTaken = false
    unowned var previous: ServerConnection?
    var next: ServerConnection?
  }

  /// The connection that has been idle longest.
  private(set) var first: ServerConnection?
  private unowned var last: ServerConnection?

  /// Appends a connection that has just become idle.
  mutating func append(_ connection: ServerConnection) {
    remove(connection)
    connection.waiting = Place(isTaken: true, previous: last, next: nil)
    if let last { last.waiting.next = connection } else { first = connection }
    last = connection
  }

  /// Removes a connection that is no longer idle; no effect if it was not in the list.
  mutating func remove(_ connection: ServerConnection) {
    let place = connection.waiting
    guard place.isTaken else { return }
    if let previous = place.previous {
      previous.waiting.next = place.next
    } else {
      first = place.next
    }
    if let next = place.next {
      next.waiting.previous = place.previous
    } else {
      last = place.previous
    }
    connection.waiting = Place()
  }
}
