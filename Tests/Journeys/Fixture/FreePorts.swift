import CLinux
import Foundation
import Support
import Synchronization

/// Unused ports of this machine, each returned once. They are below the range for outgoing
/// connections (from 32,768 on Linux), because such a connection could take a port between the
/// check and its use.
enum FreePorts {
  private static let given = Mutex<Set<UInt16>>([])
  private static let choice: Range<UInt16> = 10_240..<32_768

  /// The first of `count` consecutive ports.
  static func take(_ count: UInt16 = 1) throws -> UInt16 {
    for _ in 0..<200 {
      let first = UInt16.random(in: choice.lowerBound..<(choice.upperBound - count))
      let row = first..<(first + count)
      let isOurs = given.withLock { given in
        guard given.isDisjoint(with: row) else { return false }
        given.formUnion(row)
        return true
      }
      if isOurs, row.allSatisfy(isFree) { return first }
    }
    throw FixtureProblem("There are no \(count) free ports in a row.")
  }

  /// Whether a process listens on a port of this machine.
  static func isListenedOn(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return unsafe FloodingClients.call(CLinux.connect, descriptor, "127.0.0.1", port)
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0
      }
    }
  }
}
