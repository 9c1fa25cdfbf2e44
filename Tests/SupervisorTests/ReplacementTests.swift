import Foundation
import OperatorTool
import Requirements
import Support
import Testing

/// Processes that are replaced, stopped meanwhile, or frozen; the services are scripts.
@Suite("The replacement of processes", .serialized)
struct ReplacementTests {
  private func withCopy(_ body: (Copy) async throws -> Void) async throws {
    let copy = try Copy()
    defer { copy.remove() }
    try copy.start()
    try await body(copy)
  }

  private func gateway(_ copy: Copy) throws -> Int32 {
    try #require(try copy.members()["gateway"]?.process)
  }

  @Test("a stop during a replacement also ends the next process, which is still starting")
  func stopWhileStarting() async throws {
    try await withCopy { copy in
      let former = try gateway(copy)
      try copy.install(Copy.endless, as: "gateway")
      let replacing = try copy.begin("replace", "gateway")
      try await eventually("the next process", within: .seconds(120)) {
        FileManager.default.fileExists(atPath: "\(copy.state)/next")
      }
      let text = try String(contentsOfFile: "\(copy.state)/next", encoding: .utf8)
      let next = try #require(Int32(text))
      #expect(Copy.isRunning(next))
      let stop = try copy.run("stop")
      #expect(stop.code == 0, "\(stop.output)")
      #expect(!Copy.isRunning(next))
      #expect(!Copy.isRunning(former))
      replacing.waitUntilExit()
      #expect(replacing.terminationStatus == 1)
    }
  }

  @Test("a stop during a replacement also ends the former process, which is still finishing")
  func stopWhileFinishing() async throws {
    try await withCopy { copy in
      try copy.install(Copy.deafToSIGTERM, as: "gateway")
      try copy.replace("gateway")
      let former = try gateway(copy)
      let replacing = try copy.begin("replace", "gateway")
      try await eventually("the next process", within: .seconds(120)) {
        try copy.members()["gateway"]?.process != former
      }
      let next = try gateway(copy)
      #expect(Copy.isRunning(former))
      let stop = try copy.run("stop")
      #expect(stop.code == 0, "\(stop.output)")
      #expect(!Copy.isRunning(former))
      #expect(!Copy.isRunning(next))
      replacing.waitUntilExit()
    }
  }

  @Test("a second request to stop ends the supervisor at once, with every process")
  func stopTwice() async throws {
    try await withCopy { copy in
      try copy.install(Copy.deafToSIGTERM, as: "gateway")
      try copy.replace("gateway")
      let processes = try copy.members().values.compactMap(\.process)
      let text = try String(contentsOfFile: "\(copy.state)/trackme.pid", encoding: .utf8)
      let supervisor = try #require(Int32(text.dropLast()))
      let first = try copy.begin("stop")
      // The control socket is closed when the supervisor has received the first request.
      try await eventually("the first request", within: .seconds(120)) {
        try copy.run("replace").output.contains("The supervisor is starting or stopping")
      }
      kill(supervisor, SIGTERM)
      first.waitUntilExit()
      try await eventually("the end of all", within: .seconds(120)) {
        !processes.contains(where: Copy.isRunning)
      }
    }
  }

  @Test(
    "a frozen process is replaced, and killed if it ignores its end for the stop time",
    .tags(.OPS_4))
  func frozen() async throws {
    try await withCopy { copy in
      try copy.install(Copy.deafToSIGTERM, as: "gateway")
      try copy.replace("gateway")
      let former = try gateway(copy)
      kill(former, SIGSTOP)
      try await eventually("the end of its answers", within: .seconds(120)) {
        try copy.run("status").code == 1
      }
      #expect(try gateway(copy) == former)
      try copy.install(Copy.service, as: "gateway")
      try copy.replace("gateway")
      #expect(!Copy.isRunning(former))
      try await eventually("answers of the next one", within: .seconds(120)) {
        try copy.run("status").code == 0
      }
      #expect(try copy.members()["gateway"]?.restarts == 0)
    }
  }

  @Test("a name that is no process is refused with the list of those that are, the empty one too")
  func names() async throws {
    try await withCopy { copy in
      let former = try copy.members()
      for name in [
        "", " ", "gateway ", "gateway\ntrack4run-1", "gateway\r\n", "Gateway", "data4help",
        "postgres", "all",
      ] {
        let refused = try copy.run("replace", "track4run-1", name)
        #expect(refused.code == 1)
        #expect(
          refused.output.hasSuffix(
            "\(name.isEmpty ? "An empty name" : name) is no process here that can be replaced: "
              + "there are data4help-1, track4run-1, gateway.\n"), "\(refused.output)")
      }
      #expect(try copy.members() == former)
      let repeated = try copy.run("replace", "gateway", "gateway")
      #expect(repeated.code == 0, "\(repeated.output)")
      #expect(repeated.output.components(separatedBy: "is replaced").count == 2)
    }
  }

  @Test(
    "a changed number of loops, each with a socket of every port, needs a new start",
    .tags(.OPS_4))
  func loops() async throws {
    try await withCopy { copy in
      let former = try gateway(copy)
      let settings = URL(filePath: "\(copy.state)/settings")
      try Data("TRACKME_LOOPS=7\n".utf8).write(to: settings)
      let refused = try copy.run("replace", "gateway")
      #expect(refused.code == 1)
      #expect(
        refused.output.hasSuffix(
          "TRACKME_LOOPS has changed: that needs a new start, `trackme stop` and `trackme start`."
            + "\n"), "\(refused.output)")
      #expect(try gateway(copy) == former)
    }
  }

  @Test("a wrong settings file is a warning of status and stop, and an error of other commands")
  func wrongSettings() async throws {
    try await withCopy { copy in
      let settings = URL(filePath: "\(copy.state)/settings")
      try Data("nonsense\n".utf8).write(to: settings)
      let status = try copy.run("status")
      #expect(status.code == 0)
      #expect(status.output.hasPrefix("Warning: Line 1 of \(settings.path) is not NAME=VALUE.\n"))
      #expect(try copy.run("replace").code == 1)
      let processes = try copy.members().values.compactMap(\.process)
      let stop = try copy.run("stop")
      #expect(stop.code == 0, "\(stop.output)")
      #expect(stop.output.hasSuffix("TrackMe has stopped.\n"))
      #expect(!processes.contains(where: Copy.isRunning))
    }
  }
}
