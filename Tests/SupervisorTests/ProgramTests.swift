import Foundation
import Support
import Testing

@Suite("Programs that tests start")
struct ProgramTests {
  @Test("a program does not inherit the blocked signals of the tests: SIGTERM ends it")
  func signals() async throws {
    let process = try Program(command: ["sleep", "600"]).start()
    kill(process, SIGTERM)
    let status = try await eventually("the end of the program") { () -> Int32? in
      var status: Int32 = 0
      return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
    }
    #expect(status & 0x7f == SIGTERM)
  }

  @Test("the kernel kills a program that serves the tests when their process ends")
  func serving() async throws {
    // PR_GET_PDEATHSIG of prctl(2) is 2.
    let script = """
      import ctypes
      signal = ctypes.c_int()
      ctypes.CDLL(None).prctl(2, ctypes.byref(signal))
      print(signal.value)
      """
    try await withTemporaryDirectory { directory in
      let output = "\(directory)/output"
      _ = try await Program(command: ["/usr/bin/python3", "-c", script]).serve(output: output)
      let signal = try await eventually("the signal") { () throws -> String? in
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        return text.hasSuffix("\n") ? text : nil
      }
      #expect(signal == "\(SIGKILL)\n")
    }
  }
}
