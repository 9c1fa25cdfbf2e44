import Foundation
import Operations
import Requirements
import Testing

@Suite("Commands of the operator's tool and of the lab")
struct CommandTests {
  private func withCopy(_ body: (Copy) throws -> Void) throws {
    let copy = try Copy()
    defer { copy.remove() }
    try body(copy)
  }

  /// The names of the commands in a help text, whose lines begin with two spaces and the program.
  private func commands(in help: Copy.Outcome) -> [String] {
    help.output.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return line.hasPrefix("  ") && words.count > 2 ? String(words[1]) : nil
    }
  }

  @Test("the help of each program lists its commands and none of the other program")
  func lists() throws {
    try withCopy { copy in
      let help = try copy.run("help")
      #expect(help.code == 0)
      #expect(
        commands(in: help) == [
          "run", "start", "stop", "replace", "status", "migrate", "audit", "documents",
          "hospitals", "keys", "authority", "settings", "help", "--version",
        ])
      for name in ["demo", "simulate", "generate", "sandbox", "broker", "bench", "trace", "types"] {
        let outcome = try copy.run(name)
        #expect(outcome.code == 2)
        #expect(outcome.output.contains("trackme has no command \(name)."))
      }
    }
    let help = try Copy.lab("--help")
    #expect(help.code == 0)
    #expect(
      commands(in: help) == [
        "demo", "simulate", "generate", "sandbox", "broker", "bench", "trace", "types", "help",
        "--version",
      ])
    let run = try Copy.lab("run")
    #expect(run.code == 2)
    #expect(run.output.contains("trackme-lab has no command run."))
  }

  @Test(
    "payments that only the missing lab can try are refused before anything is started",
    arguments: [["--price-single", "1250"], ["--payment-url", "play"]])
  func missingBroker(_ settings: [String]) throws {
    try withCopy { copy in
      let outcome = try copy.run(["run"] + settings)
      #expect(outcome.code == 1)
      #expect(
        outcome.output.hasSuffix(
          "Payments cannot be tried: \(copy.directory.path)/trackme-lab is missing, which "
            + "`make build` builds. Without it, set TRACKME_PAYMENT_URL to a payment broker, or no "
            + "price.\n"))
      #expect(!FileManager.default.fileExists(atPath: "\(copy.state)/postgres"))
    }
  }

  @Test("the keys of a directory without an installation are an error that names it", .tags(.OPS_6))
  func keysOfNothing() throws {
    try withCopy { copy in
      let outcome = try copy.run(["keys", "rotate", "root"])
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("There is no installation in \(copy.state)"))
    }
  }

  @Test("keys rotate tls takes the steps of authority rotate", .tags(.OPS_3))
  func rotateTLS() throws {
    try withCopy { copy in
      let none = try copy.run(["keys", "rotate", "tls"])
      #expect(none.code == 1)
      #expect(none.output.contains("`trackme authority create` makes it"))
      #expect(try copy.run(["authority", "create"]).code == 0)
      for step in ["1 of 3", "2 of 3", "3 of 3"] {
        let outcome = try copy.run(["keys", "rotate", "tls"])
        #expect(outcome.code == 0)
        #expect(outcome.output.contains(step))
      }
    }
  }

  @Test("the tool and the lab print the version of TrackMe")
  func version() throws {
    let lab = try Copy.lab("--version")
    #expect(lab.code == 0 && lab.output == "trackme-lab \(ProgramHelp.version)\n")
    try withCopy { copy in
      let tool = try copy.run("--version")
      #expect(tool.code == 0 && tool.output == "trackme \(ProgramHelp.version)\n")
    }
  }

  @Test(
    "a service prints help and version without settings, and refuses another argument with a hint",
    arguments: ["gateway", "data4help", "track4run"])
  func services(_ name: String) throws {
    let help = try Copy.service(name, "--port", "1", "--help")
    #expect(help.code == 0)
    #expect(help.output.hasPrefix("usage: \(name) [--SETTING VALUE]…\n"))
    #expect(help.output.contains("\n  --metrics-port "))
    let version = try Copy.service(name, "--version")
    #expect(version.code == 0 && version.output == "\(name) \(ProgramHelp.version)\n")
    for wrong in ["--verbose", "start"] {
      let refusal = try Copy.service(name, wrong)
      #expect(refusal.code == 1)
      #expect(refusal.output.hasPrefix("\(wrong) is not a flag of TrackMe"))
      #expect(refusal.output.hasSuffix(" `\(name) --help` lists all arguments.\n"))
    }
  }

  @Test("--help shows the arguments of a command, whatever other arguments there are")
  func help() throws {
    for outcome in try [Copy.lab("generate", "--help"), Copy.lab("generate", "gpx", "-h")] {
      #expect(outcome.code == 0)
      #expect(outcome.output.contains("--megabytes  1 to 4000"))
      #expect(outcome.output.contains("usage: trackme-lab generate people"))
    }
    let unknown = try Copy.lab("foo")
    #expect(unknown.code == 2)
    #expect(unknown.output.contains("trackme-lab has no command foo."))
    try withCopy { copy in
      #expect(try copy.run(["stop", "--help"]).output.contains("usage: trackme stop"))
      let unknown = try copy.run(["foo"])
      #expect(unknown.code == 2)
      #expect(unknown.output.contains("trackme has no command foo."))
    }
  }

  @Test("the error for an unwritable file contains its path and the reason")
  func failures() throws {
    let file = try Copy.lab("generate", "gpx", "--megabytes", "1", "--output", "/nonexistent/x")
    #expect(file.code == 1)
    #expect(file.output.contains("/nonexistent/x can't be written"))
    #expect(!file.output.contains("permission"))
  }

  @Test("output that cannot be written does not end a program")
  func lostOutput() throws {
    try withCopy { copy in
      let script = """
        "$0" help > /dev/full; echo $?
        "$0" none 2> /dev/full; echo $?
        """
      let tool = copy.directory.appending(path: "trackme").path
      let outcome = try Copy.execute(
        URL(filePath: "/bin/sh"), ["-c", script, tool], environment: [:])
      #expect(outcome.output == "0\n2\n")
    }
  }

  @Test("a town that exists needs the running system too", .tags(.OPS_8))
  func stoppedSandbox() throws {
    try withCopy { copy in
      let state = URL(filePath: copy.state)
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try Data("complete 1 20 30 2026-11-27\n".utf8).write(to: state.appending(path: "sandbox"))
      let port = "\(copy.ports[0])"
      let outcome = try Copy.lab("sandbox", "--state", copy.state, "--http-port", port)
      #expect(outcome.code == 1)
      let reason = "nothing answers at localhost:\(port). Is the system running?\n"
      #expect(outcome.output.hasSuffix(reason), "\(outcome.output)")
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

  @Test(
    "status and stop need no setting of a file: its faults are warnings, unlike wrong flags",
    arguments: [
      ("x", "is not NAME=VALUE."), ("TRACKME_HTTP_PROT=1", "is not a setting of TrackMe"),
      ("TRACKME_LOOPS=many", "TRACKME_LOOPS must be"),
      ("TRACKME_SMTP_URL_FILE=/nonexistent", "/nonexistent cannot be read"),
      ("TRACKME_STATE=/elsewhere", "TRACKME_STATE cannot be set in"),
    ])
  func faultySettings(_ line: String, _ fault: String) throws {
    try withCopy { copy in
      let state = URL(filePath: copy.state)
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try Data("\(line)\n".utf8).write(to: state.appending(path: "settings"))
      for (command, code) in [("stop", Int32(0)), ("status", 1)] {
        let outcome = try copy.run(command)
        #expect(outcome.code == code)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("Warning: ") == true && lines.first?.contains(fault) == true)
        #expect(lines.last == "TrackMe is not running on \(copy.state).")
        let wrong = try copy.run(command, "--sate", "/elsewhere")
        #expect(wrong.code == 1 && wrong.output.contains("did you mean --state?"))
      }
    }
  }
}
