import CLinux
import Operations
import Testing

@Suite("The output of a log")
struct LogOutputTests {
  /// A pipe or a socket pair, with an output that writes to it.
  private final class Reader {
    let reading: Int32
    let output: LogOutput
    private let writing: Int32
    private let own: Int32?

    init(_ way: LogOutput.Way) throws {
      var ends: [Int32] = [-1, -1]
      let code =
        way == .socket
        ? unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : unsafe pipe(&ends)
      try #require(code == 0)
      (reading, writing) = (ends[0], ends[1])
      let remark: @Sendable (Int) -> [UInt8] = { Array("dropped \($0)\n".utf8) }
      if way == .shared {
        own = nil
        output = LogOutput(writing, .shared, remark: remark)
      } else {
        let opened = LogOutput.open(writing)
        #expect(opened.way == way)
        own = opened.descriptor == writing ? nil : opened.descriptor
        output = LogOutput(opened.descriptor, opened.way, remark: remark)
      }
    }

    deinit {
      for descriptor in [reading, writing, own].compactMap(\.self) { close(descriptor) }
    }

    /// Reads all available bytes and flushes the output until its buffer is empty.
    func readAll() -> [String] {
      linux_set_nonblocking(reading)
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while true {
        output.flush()
        let count = unsafe read(reading, &chunk, chunk.count)
        guard count > 0 else { break }
        bytes += chunk[..<count]
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private static func line(_ number: Int) -> [UInt8] {
    Array("line \(number) \(String(repeating: "x", count: 200))\n".utf8)
  }

  @Test(
    "logging does not block on the reader, and dropped lines are counted and reported",
    arguments: [LogOutput.Way.own, .socket, .shared])
  func stoppedReader(way: LogOutput.Way) throws {
    let reader = try Reader(way)
    let count = 3 * LogOutput.waitingBytesMax / Self.line(1000).count
    for number in 0..<count { reader.output.write(Self.line(number)) }
    let dropped = reader.output.droppedLines
    #expect(dropped > 0 && dropped < count)

    let lines = reader.readAll()
    #expect(lines.last == "dropped \(dropped)")
    #expect(lines.count == count - dropped + 1)
    // Complete lines in order; only the last ones are dropped.
    for (number, line) in lines.dropLast().enumerated() {
      #expect(line == String(decoding: Self.line(number).dropLast(), as: UTF8.self))
    }

    reader.output.write(Self.line(7))
    #expect(reader.readAll().count == 1)
    #expect(reader.output.droppedLines == dropped)
  }

  @Test("lines that fit are written immediately, in one piece or many", arguments: [1, 300])
  func fitting(lines: Int) throws {
    let reader = try Reader(.own)
    reader.output.write((0..<lines).flatMap(Self.line))
    #expect(reader.output.droppedLines == 0)
    #expect(reader.readAll().count == lines)
  }

  @Test("opening our own file description leaves the flags of the shared one unchanged")
  func sharedDescription() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let opened = LogOutput.open(ends[1])
    #expect(opened.way == .own && opened.descriptor != ends[1])
    let information = try FileSystem.read("/proc/self/fdinfo/\(ends[1])", bytesMax: 1000)
    let flags = String(decoding: information, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
    #expect(try Int32(#require(flags), radix: 8).map { $0 & O_NONBLOCK } == 0)
    for descriptor in ends + [opened.descriptor] { close(descriptor) }
  }
}
