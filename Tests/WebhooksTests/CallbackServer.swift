import Support
import Synchronization

/// A minimal server of a third party on a loopback address. It serves connections sequentially,
/// answers every call with 204, and counts.
final class CallbackServer: Sendable {
  private struct State {
    var connections = 0
    var calls = 0
    var isClosing = false
  }

  /// The state shared by the listener and its owner.
  private final class Counts: Sendable {
    let state = Mutex(State())
  }

  private let counts = Counts()
  private let listener: LoopbackListener

  /// Listens at 127.0.0.`host`, on the given port or any free one.
  init(host: UInt32 = 1, port: UInt16 = 0) throws {
    listener = try LoopbackListener(host: host, port: port) { [counts] connection in
      counts.state.withLock { $0.connections += 1 }
      while Self.takeCall(connection, counts) {}
    }
  }

  var port: UInt16 { listener.port }
  /// The number of accepted connections.
  var connections: Int { counts.state.withLock { $0.connections } }
  /// The number of answered calls.
  var calls: Int { counts.state.withLock { $0.calls } }

  /// Closes each connection after its response from now on, without announcing it.
  func closeAfterAnswers() { counts.state.withLock { $0.isClosing = true } }

  /// Stops the server.
  func stop() { listener.stop() }

  /// Answers a call; false at the end of the connection.
  private static func takeCall(_ connection: LoopbackConnection, _ counts: Counts) -> Bool {
    var length = 0
    while true {
      guard let line = connection.readLine() else { return false }
      if line.isEmpty { break }
      if line.lowercased().hasPrefix("content-length:") {
        length = Int(line.dropFirst(15).filter(\.isNumber)) ?? 0
      }
    }
    for _ in 0..<length { if connection.readByte() == nil { return false } }
    let isClosing = counts.state.withLock { state in
      state.calls += 1
      return state.isClosing
    }
    connection.say("HTTP/1.1 204 No Content\r\n\r\n")
    return !isClosing
  }
}
