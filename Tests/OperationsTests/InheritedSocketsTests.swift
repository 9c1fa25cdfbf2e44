import Operations
import Requirements
import Testing

@Suite("Listening sockets from the starter of a process", .tags(.OPS_4))
struct InheritedSocketsTests {
  private func variables(_ count: String, _ names: String?) -> [String: String] {
    var variables = ["LISTEN_PID": "7", "LISTEN_FDS": count]
    variables["LISTEN_FDNAMES"] = names
    return variables
  }

  @Test("each name has its sockets, in order from descriptor 3")
  func names() throws {
    let sockets = try InheritedSockets(
      environment: variables("4", "http:https:https:metrics"), process: 7)
    #expect(sockets[.http] == [3])
    #expect(sockets[.https] == [4, 5])
    #expect(sockets[.metrics] == [6])
    #expect(sockets[.service] == [])
  }

  @Test("sockets for another process, and no sockets, are none")
  func none() throws {
    let others = try InheritedSockets(environment: variables("1", "http"), process: 8)
    #expect(others == .none)
    #expect(try InheritedSockets(environment: [:], process: 7) == .none)
  }

  @Test(
    "a wrong number, a missing name and an unknown name are refused",
    arguments: [
      ("2", "http"), ("x", "http"), ("1", nil), ("1", "smtp"), ("1", ""),
    ])
  func refused(_ count: String, _ names: String?) {
    #expect(throws: StartError.self) {
      try InheritedSockets(environment: variables(count, names), process: 7)
    }
  }

  @Test("the message of a ready process names it; other messages do not")
  func readyNotice() {
    #expect(ReadyNotice.process(in: ReadyNotice.text(of: 12)) == 12)
    #expect(ReadyNotice.process(in: "STOPPING=1\nMAINPID=12") == nil)
    #expect(ReadyNotice.process(in: "READY=1") == nil)
  }
}
