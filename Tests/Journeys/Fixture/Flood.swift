import CLinux
import Foundation
import Synchronization

/// An attack on an HTTP/2 server that costs the server more work or memory than the client.
enum Flood: String, CaseIterable, Sendable {
  case rapidResets, provokedResets, continuations, settings, pings, priorities, windowUpdates
  case emptyData, tableReferences, noWindow, windowOfOne

  /// Whether the server can recognise it at once; otherwise only its resources are bounded.
  var isCut: Bool { self != .noWindow && self != .windowOfOne }
}

/// The endless bytes of one connection's flood.
struct FloodBytes {
  private let flood: Flood
  private var stream: UInt32 = 1
  private var isBegun = false

  init(_ flood: Flood) { self.flood = flood }

  /// The next bytes to send.
  mutating func next() -> [UInt8] {
    guard isBegun else {
      isBegun = true
      return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + opening()
    }
    return round()
  }

  private mutating func opening() -> [UInt8] {
    let settings = Self.frame(4)
    switch flood {
    case .continuations: return settings + Self.frame(1, stream: 1, Self.request("/health"))
    case .emptyData: return settings + Self.frame(1, flags: 4, stream: 1, Self.request("/health"))
    case .tableReferences:
      // A field of 4000 bytes enters the table (RFC 7541, section 6.2.1).
      let field = [0x40, 1, 0x78, 127, 0xA1, 0x1E] + [UInt8](repeating: 0x76, count: 4000)
      return settings + head(Self.request("/health") + field)
    case .noWindow, .windowOfOne:
      let window: UInt8 = flood == .noWindow ? 0 : 1
      return Self.frame(4, [0, 4, 0, 0, 0, window])
        + (0..<100).flatMap { _ in head(Self.request("/openapi.json")) }
    default: return settings
    }
  }

  private mutating func round() -> [UInt8] {
    switch flood {
    case .rapidResets:
      return (0..<100).flatMap { _ in
        let request = head(Self.request("/openapi.json"))
        return request + Self.frame(3, stream: stream - 2, [0, 0, 0, 8])
      }
    case .provokedResets:
      // A content length that contradicts the request, which has already ended.
      let length: [UInt8] = [0, 14] + Array("content-length".utf8) + [1, 0x39]
      return (0..<100).flatMap { _ in head(Self.request("/health") + length) }
    case .continuations: return Self.many(9, stream: 1, [0x82])
    case .settings: return Self.many(4)
    case .pings: return Self.many(6, [UInt8](repeating: 0, count: 8))
    case .priorities: return Self.many(2, stream: 3, [0, 0, 0, 0, 16])
    case .windowUpdates: return Self.many(8, [0, 0, 0, 1])
    case .emptyData: return Self.many(0, stream: 1)
    case .tableReferences:
      let references = [UInt8](repeating: 0x80 | 62, count: 30)
      return (0..<20).flatMap { _ in head(Self.request("/health") + references) }
    case .noWindow, .windowOfOne: return Self.frame(6, [UInt8](repeating: 0, count: 8))
    }
  }

  /// A request without a body on the next stream.
  private mutating func head(_ block: [UInt8]) -> [UInt8] {
    defer { stream += 2 }
    return Self.frame(1, flags: 5, stream: stream, block)
  }

  private static func many(_ type: UInt8, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    let one = frame(type, stream: stream, payload)
    return (0..<500).flatMap { _ in one }
  }

  private static func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    let length = [16, 8, 0].map { UInt8(payload.count >> $0 & 255) }
    return length + [type, flags] + [24, 16, 8, 0].map { UInt8(stream >> $0 & 255) } + payload
  }

  /// `GET http://a/…`, without compression beyond the static table.
  private static func request(_ target: String) -> [UInt8] {
    [0x82, 0x86, 0x04, UInt8(target.utf8.count)] + Array(target.utf8) + [0x41, 1, 0x61]
  }
}

/// Parallel connections from one address that flood for a time, each on its own thread.
final class FloodingClients: Sendable {
  private let flood: Flood
  private let port: UInt16
  private let address: String
  private let isOver = Atomic<Bool>(false)
  private let cuts = Atomic<Int>(0)
  private let answers = Atomic<Int>(0)

  /// Floods a local port from a loopback address.
  init(_ flood: Flood, port: UInt16, from address: String) {
    self.flood = flood
    self.port = port
    self.address = address
  }

  /// Connections closed by the server.
  var cutCount: Int { cuts.load(ordering: .relaxed) }
  /// Connections closed by the server for a recognisable flood, otherwise connections it has
  /// answered.
  var effectCount: Int { flood.isCut ? cutCount : answers.load(ordering: .relaxed) }

  /// Runs this number of connections until `end`; a closed connection reconnects after a moment.
  func run(_ count: Int) async {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              while !self.isOver.load(ordering: .relaxed) { self.connect() }
              continuation.resume()
            }
          }
        }
      }
    }
  }

  func end() { isOver.store(true, ordering: .relaxed) }

  /// Runs one connection until it is closed or the flood ends.
  private func connect() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { _ = close(descriptor) }
    guard unsafe Self.call(CLinux.bind, descriptor, address, 0),
      unsafe Self.call(CLinux.connect, descriptor, "127.0.0.1", port)
    else { return rest() }
    var bytes = FloodBytes(flood)
    var unsent = bytes.next()[...]
    var hasAnswer = false
    while !isOver.load(ordering: .relaxed) {
      let sent = unsafe unsent.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      let isStuck = sent < 0 && errno == EAGAIN
      let received = Self.drain(descriptor)
      if received > 0, !hasAnswer {
        hasAnswer = true
        answers.add(1, ordering: .relaxed)
      }
      if (sent < 0 && !isStuck) || received < 0 {
        cuts.add(1, ordering: .relaxed)
        return rest()
      }
      unsent = unsent.dropFirst(max(0, sent))
      if unsent.isEmpty { unsent = bytes.next()[...] }
      if isStuck || !flood.isCut { Self.wait(milliseconds: flood.isCut ? 1 : 100) }
    }
  }

  /// Waits a quarter of a second before reconnecting.
  private func rest() {
    for _ in 0..<25 where !isOver.load(ordering: .relaxed) { Self.wait(milliseconds: 10) }
  }

  /// Blocks this thread, which is used by the flood only.
  private static func wait(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// Reads and discards the available bytes; -1 at the end.
  private static func drain(_ descriptor: Int32) -> Int {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    return count < 0 && errno == EAGAIN ? 0 : count > 0 ? count : -1
  }

  /// Binds or connects to an IPv4 address.
  static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ address: String, _ port: UInt16
  ) -> Bool {
    var system = sockaddr_in()
    system.sin_family = sa_family_t(AF_INET)
    system.sin_port = port.bigEndian
    _ = unsafe inet_pton(AF_INET, address, &system.sin_addr)
    return unsafe withUnsafePointer(to: &system) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
