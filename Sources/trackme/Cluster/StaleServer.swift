import CLinux
import EventLoop
import Foundation
import Operations

/// What a supervisor that was killed may leave: a server that is still stopping, or the file of one
/// that is gone.
struct StaleServer {
  let cluster: Cluster

  private static let patience = Duration.seconds(30)

  /// Waits for such a server, asks it to stop, and removes the file of a dead one.
  func clear(_ tell: (String) -> Void) throws(StartError) {
    let path = "\(cluster.place.data)/postmaster.pid"
    guard let process = number(in: path) else { return }
    guard isServer(process) else {
      // The number may belong to any program by now, which PostgreSQL would take for a server.
      do throws(SystemError) {
        try FileSystem.remove(path)
      } catch {
        throw StartError("\(path) cannot be removed", error)
      }
      return
    }
    tell("Waiting for the database of an earlier run (process \(process)) to stop.")
    kill(process, SIGINT)
    guard ProcessWait.waitForEnd(of: process, atMost: Self.patience) else {
      throw StartError("The database of an earlier run (process \(process)) does not stop.")
    }
  }

  private func number(in path: String) -> Int32? {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// A server works in its data directory.
  private func isServer(_ process: Int32) -> Bool {
    let directory = URL(filePath: "/proc/\(process)/cwd").resolvingSymlinksInPath().path
    return directory == URL(filePath: cluster.place.data).resolvingSymlinksInPath().path
  }
}
