import CLinux
import EventLoop
import Foundation
import Operations

/// The possible remains of a killed supervisor: a server that is still stopping, or the pid file of
/// a dead one.
struct StaleServer {
  let cluster: Cluster

  private static let waitMax = Duration.seconds(30)

  /// Asks such a server to stop, waits for its end, and removes the pid file of a dead one.
  func clear(_ report: (String) -> Void) throws(StartError) {
    let path = "\(cluster.directory.data)/postmaster.pid"
    guard let process = number(in: path) else { return }
    guard isServer(process) else {
      // The pid may belong to another program by now, which PostgreSQL would mistake for a server.
      do throws(SystemError) {
        try FileSystem.remove(path)
      } catch {
        throw StartError("\(path) cannot be removed", error)
      }
      return
    }
    report("Waiting for the database of an earlier run (process \(process)) to stop.")
    kill(process, SIGINT)
    guard ProcessWait.waitForEnd(of: process, atMost: Self.waitMax) else {
      throw StartError("The database of an earlier run (process \(process)) has not stopped.")
    }
  }

  private func number(in path: String) -> Int32? {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Checks the working directory, which is the data directory for a server.
  private func isServer(_ process: Int32) -> Bool {
    let directory = URL(filePath: "/proc/\(process)/cwd").resolvingSymlinksInPath().path
    return directory == URL(filePath: cluster.directory.data).resolvingSymlinksInPath().path
  }
}
