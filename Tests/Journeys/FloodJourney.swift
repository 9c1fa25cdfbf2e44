import Foundation
import HTTP
import Requirements
import Testing

@Suite("Floods over HTTP/2, through the gateway", .serialized, .tags(.GW_5))
struct FloodJourney {
  private static let system = Task { try await TestSystem(["TRACKME_RATE_LIMITS": "on"]) }

  private static let connections = 8
  private static let memoryMax = 100 * 1024 * 1024
  /// Too short for a person to notice, and what a busy machine takes by itself.
  #if DEBUG
    // Code that is not optimised takes several times as long for the requests of a flood.
    private static let unnoticed = Duration.milliseconds(500)
  #else
    private static let unnoticed = Duration.milliseconds(100)
  #endif

  @Test(
    "a flood is cut off, or bounded in what it takes, and another client is served as before",
    .timeLimit(.minutes(3)), arguments: Flood.allCases)
  func flooded(_ flood: Flood) async throws {
    let system = try await Self.system.value
    let client = try PublicClient(system, .http2)
    defer { client.close() }
    var notes: [String] = []
    // Whatever else runs on the machine may slow down either half: one fair comparison is enough.
    for round in 1...4 {
      let quiet = try await Self.slowest(of: client, for: .seconds(1))
      let place = Flood.allCases.firstIndex(of: flood) ?? 0
      let clients = FloodingClients(
        flood, port: system.httpPort, from: "127.0.\(round).\(place + 1)")
      async let running: Void = clients.run(Self.connections)
      defer { clients.end() }
      let slowest = try await Self.slowest(of: client, for: .seconds(3))
      clients.end()
      await running
      notes.append("quiet \(quiet), flooded \(slowest), \(clients.cutCount) cut off")
      #expect(clients.answeredCount >= Self.connections)
      #expect(flood.isCut ? clients.cutCount >= Self.connections : clients.cutCount == 0)
      #expect(try system.memoryMax(of: "gateway") < Self.memoryMax)
      if slowest <= max(quiet * 2, Self.unnoticed) { break }
      if round == 4 { Issue.record("\(flood): \(notes.joined(separator: "; "))") }
    }
    print(
      "\(flood): \(notes.joined(separator: "; ")), \(try system.memoryMax(of: "gateway")) bytes")
  }

  @Test(
    "a frame on a closed stream, and a stream number that goes back, end the connection",
    .tags(.GW_4))
  func closedStreams() async throws {
    let system = try await Self.system.value
    let get = "82 86 84 41 01 61"
    func headers(_ stream: Int) -> String { "00 00 06 01 05 00 00 00 0\(stream) \(get)" }
    let data = "00 00 04 00 00 00 00 00 01 01 02 03 04"
    let reset = "00 00 04 03 00 00 00 00 01 00 00 00 08"
    let cases: [(String, HTTP2ErrorCode)] = [
      ("\(headers(1)) \(data)", .streamClosed), ("\(headers(1)) \(headers(1))", .streamClosed),
      ("\(headers(1)) \(reset) \(data)", .streamClosed),
      ("\(headers(5)) \(headers(3))", .protocolError), (headers(2), .protocolError),
    ]
    for (frames, code) in cases {
      let answer = try await system.rawAnswer(to: frames)
      let goAway = try #require(answer.firstRange(of: [0x07, 0, 0, 0, 0, 0]), "\(frames)")
      let told = answer[goAway.upperBound...].dropFirst(4).prefix(4)
      #expect(told.reduce(0) { $0 << 8 | UInt32($1) } == code.rawValue, "\(frames)")
    }
  }

  /// The 99th percentile of the times of requests that follow each other at a walking pace.
  private static func slowest(
    of client: PublicClient, for duration: Duration
  ) async throws -> Duration {
    var times: [Duration] = []
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end || times.count < 20 {
      let begun = ContinuousClock.now
      let reply = try await client.get("/health")
      times.append(ContinuousClock.now - begun)
      #expect(reply.status == 200)
      try await pause(.milliseconds(4))
    }
    times.sort()
    return times[times.count * 99 / 100]
  }
}

extension TestSystem {
  /// What the gateway answers to frames, in hexadecimal, that follow the preface, until it closes.
  fileprivate func rawAnswer(to frames: String) async throws -> [UInt8] {
    let input = directory + "/frames-\(UUID().uuidString)"
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let bytes = frames.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    try Data(preface + bytes).write(to: URL(filePath: input))
    let output = input + "-answer"
    let outcome = try await Program(
      command: [
        "/bin/bash", "-c",
        """
        exec 3<>/dev/tcp/127.0.0.1/\(httpPort)
        cat '\(input)' >&3
        timeout 30 cat <&3 > '\(output)'
        """,
      ]
    ).run()
    try #require(outcome.isSuccess, "\(outcome.output)")
    return Array(try Data(contentsOf: URL(filePath: output)))
  }
}
