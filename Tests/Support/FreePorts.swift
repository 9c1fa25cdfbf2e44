// SAFETY of the whole file: every address passed to the system exists during the call and is passed
// with its size.
import Glibc
import Synchronization

/// Unused ports of this machine, each returned once. They are below the range for outgoing
/// connections (from 32,768 on Linux), because such a connection could take a port between the
/// check and its use.
package enum FreePorts {
  private static let given = Mutex<Set<UInt16>>([])

  /// The first of `count` consecutive ports. Journeys use the default range; tests of another
  /// process that run beside them use one below it.
  package static func take(
    _ count: UInt16 = 1, from range: Range<UInt16> = 10_240..<32_768
  ) throws -> UInt16 {
    for _ in 0..<200 {
      let first = UInt16.random(in: range.lowerBound..<(range.upperBound - count))
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
