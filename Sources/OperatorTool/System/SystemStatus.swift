import Foundation
import Operations
import Time

/// The state of the supervisor's processes, stored in `status.json` for `trackme status`.
package struct SystemStatus: Codable, Equatable {
  /// One process.
  package struct Member: Codable, Equatable {
    /// The name, such as `data4help-1`.
    package var name: String
    /// The pid; `nil` while it is not running.
    package var process: Int32?
    /// The time of the last start, in microseconds since 1970.
    package var startedMicroseconds: Int64
    /// The number of restarts.
    package var restarts: Int
    /// The addresses shown to the operator.
    package var addresses: [String]
    /// Whether it reports that it is ready.
    package var isReady: Bool

    /// Creates the state of one process.
    package init(
      name: String, process: Int32?, startedMicroseconds: Int64, restarts: Int,
      addresses: [String], isReady: Bool
    ) {
      self.name = name
      self.process = process
      self.startedMicroseconds = startedMicroseconds
      self.restarts = restarts
      self.addresses = addresses
      self.isReady = isReady
    }
  }

  /// All processes in start order.
  package var members: [Member] = []
  /// Whether the whole start is complete.
  package var isStarted = false

  /// Whether all processes are ready.
  package var isReady: Bool { isStarted && members.allSatisfy(\.isReady) }

  /// Writes the file; returns false on failure. A full disk loses the status, not the system.
  func write(to path: String) -> Bool {
    do {
      try FileSystem.writeAtomically(path, Array(try JSONEncoder().encode(self)))
      return true
    } catch {
      return false
    }
  }

  static func read(from path: String) throws(StartError) -> SystemStatus {
    do {
      let bytes = try FileSystem.read(path, bytesMax: 1 << 20)
      return try JSONDecoder().decode(SystemStatus.self, from: Data(bytes))
    } catch {
      throw StartError("\(path) cannot be read: the supervisor is only just starting.")
    }
  }

  /// The state of these processes.
  package init(members: [Member] = [], isStarted: Bool) {
    self.members = members
    self.isStarted = isStarted
  }

  /// One line per process.
  package func lines(now: Instant) -> [String] {
    let width = members.map(\.name.count).max() ?? 0
    return members.map { member in
      let name = member.name + String(repeating: " ", count: width - member.name.count)
      let readiness = member.isReady ? "ready" : "not ready"
      guard let process = member.process else {
        return "\(name)  not running  restarts \(member.restarts)"
      }
      let seconds = max(0, (now.microsecondsSince1970 - member.startedMicroseconds) / 1_000_000)
      return "\(name)  \(readiness)  process \(process)  up \(Self.duration(seconds))  "
        + "restarts \(member.restarts)  \(member.addresses.joined(separator: " "))"
    }
  }

  private static func duration(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}
