/// The connections of a shard that wait for a request, the longest first: one of them makes way
/// when there is no room. Everything takes constant time, however many wait.
struct WaitingConnections {
  /// Where a connection stands in the list.
  struct Place {
    var isTaken = false
    unowned var previous: ServerConnection?
    var next: ServerConnection?
  }

  /// Who has waited longest.
  private(set) var first: ServerConnection?
  private unowned var last: ServerConnection?

  /// The connection begins to wait now.
  mutating func append(_ connection: ServerConnection) {
    remove(connection)
    connection.waiting = Place(isTaken: true, previous: last, next: nil)
    if let last { last.waiting.next = connection } else { first = connection }
    last = connection
  }

  /// The connection waits no more, if it did.
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
