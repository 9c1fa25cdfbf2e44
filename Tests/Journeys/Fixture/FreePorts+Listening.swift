import CLinux
import Foundation
import Support

extension FreePorts {
  /// Whether a process listens on a port of this machine.
  static func isListenedOn(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return unsafe FloodingClients.call(CLinux.connect, descriptor, "127.0.0.1", port)
  }
}
