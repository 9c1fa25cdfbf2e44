/// The idle connections of a shard, the longest idle first: that one is closed when the shard is
/// full. All operations take constant time.
struct WaitingConnections {
  /// The links of a connection in the list.
  struct Links {
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
    connection.waiting = Links(isTaken: true, previous: last, next: nil)
    if let last { last.waiting.next = connection } else { first = connection }
    last = connection
  }

  /// Removes a connection that is no longer idle; no effect if it was not in the list.
  mutating func remove(_ connection: ServerConnection) {
    let links = connection.waiting
    guard links.isTaken else { return }
    if let previous = links.previous {
      previous.waiting.next = links.next
    } else {
      first = links.next
    }
    if let next = links.next {
      next.waiting.previous = links.previous
    } else {
      last = links.previous
    }
    connection.waiting = Links()
  }
}
