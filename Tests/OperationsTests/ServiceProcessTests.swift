import EventLoop
import Operations
import Testing

@Suite("The loops of a process")
struct ServiceProcessTests {
  @Test(
    "the loops of the gateway poll before they sleep, and those of no other program",
    arguments: ProcessKind.allCases)
  func polling(kind: ProcessKind) throws {
    let loops = try ServiceProcess.startLoops(2, of: kind)
    defer { for loop in loops { loop.stop() } }
    #expect(loops.map(\.polls) == Array(repeating: kind == .gateway, count: 2))
  }

  @Test("without a number there is at least one loop")
  func oneForEachCore() throws {
    let loops = try ServiceProcess.startLoops(0, of: .gateway)
    defer { for loop in loops { loop.stop() } }
    #expect(!loops.isEmpty)
  }
}
