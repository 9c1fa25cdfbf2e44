import Foundation
import Synchronization

/// Ports of this machine that nobody listens on, each given out once.
enum FreePorts {
  private static let given = Mutex<Set<UInt16>>([])

  /// The first of `count` ports in a row.
  static func take(_ count: UInt16 = 1) throws -> UInt16 {
    for _ in 0..<200 {
      guard let first = free(0), first < UInt16.max - count else { continue }
      let row = first..<(first + count)
      let isOurs = given.withLock { given in
        guard given.isDisjoint(with: row) else { return false }
        given.formUnion(row)
        return true
      }
      if isOurs, row.allSatisfy({ free($0) != nil }) { return first }
    }
    throw FixtureProblem("There are no \(count) free ports in a row.")
  }

  /// The port itself if it can be bound; 0 stands for any.
  private static func free(_ port: UInt16) -> UInt16? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> UInt16? in
        guard unsafe bind(descriptor, pointer, size) == 0,
          unsafe getsockname(descriptor, pointer, &size) == 0
        else { return nil }
        return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          unsafe UInt16(bigEndian: $0.pointee.sin_port)
        }
      }
    }
  }
}
