import Requirements
import Testing

@Suite("Commands of the operator's tool")
struct CommandTests {
  private func withCopy(_ body: (Copy) throws -> Void) throws {
    let copy = try Copy()
    defer { copy.remove() }
    try body(copy)
  }

  @Test("--help shows the arguments of a command, whatever other arguments there are")
  func help() throws {
    try withCopy { copy in
      for arguments in [["generate", "--help"], ["generate", "gpx", "-h"]] {
        let outcome = try copy.run(arguments)
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("--megabytes  1 to 4000"))
        #expect(outcome.output.contains("usage: trackme generate people"))
      }
      #expect(try copy.run(["stop", "--help"]).output.contains("usage: trackme stop"))
      let unknown = try copy.run(["foo"])
      #expect(unknown.code == 2)
      #expect(unknown.output.contains("trackme has no command foo."))
    }
  }

  @Test("the error for an unwritable file contains its path and the reason")
  func failures() throws {
    try withCopy { copy in
      let file = try copy.run([
        "generate", "gpx", "--megabytes", "1", "--output", "/nonexistent/x",
      ])
      #expect(file.code == 1)
      #expect(file.output.contains("/nonexistent/x can't be written"))
      #expect(!file.output.contains("permission"))
    }
  }

  @Test("two equal ports are reported before anything is started")
  func ports() throws {
    try withCopy { copy in
      let port = "\(copy.ports[0])"
      let outcome = try copy.run(["run", "--http-port", port, "--https-port", port])
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("TRACKME_HTTP_PORT and TRACKME_HTTPS_PORT are both"))
    }
  }
}
