import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Floods over HTTP/2, through the gateway", .serialized, .tags(.GW_5))
struct FloodJourney {
  private static let system = Task { try await TestSystem(["TRACKME_RATE_LIMITS": "on"]) }

  private static let connections = 8
  private static let memoryMax = 100 * 1024 * 1024
  /// The minimum duration of each half of a round; six rounds fit into 5 s.
  private static let half = Duration.milliseconds(400)
  private static let roundsMax = 6
  /// How long the server may take to answer or cut all connections of a flood.
  private static let effectMax = Duration.seconds(30)
  /// Smaller delays may be caused by other processes on a busy machine.
  #if DEBUG
    // Unoptimised code needs several times as long for the requests of a flood.
    private static let unnoticed = Duration.milliseconds(500)
  #else
    private static let unnoticed = Duration.milliseconds(10)
  #endif

  /// Clients, gateway, services and database share the machine's cores, so a flood slows the other
  /// client down before the gateway has read a byte. Therefore the quiet half of a round sends the
  /// same flood to a server that ignores it.
  @Test(
    "a flood is cut off, or limited in resources, and does not affect another client",
    .timeLimit(.minutes(3)), arguments: Flood.allCases)
  func flooded(_ flood: Flood) async throws {
    let system = try await Self.system.value
    let client = try PublicClient(system, .http2)
    defer { client.close() }
    let sink = try FloodSink(flood)
    defer { sink.end() }
    let place = Flood.allCases.firstIndex(of: flood) ?? 0
    var measured: [String] = []
    var isUnnoticed = false
    // Other processes slow some rounds down. An effect of the flood on the gateway would show in
    // every round, so one round without it is sufficient.
    for round in 1...Self.roundsMax where !isUnnoticed {
      let address = "127.0.\(round).\(place + 1)"
      let quiet = try await Self.percentile99(
        of: client, during: FloodingClients(flood, port: sink.port, from: address))
      let clients = FloodingClients(flood, port: system.httpPort, from: address)
      let flooded = try await Self.percentile99(of: client, during: clients)
      #expect(flood.isCut || clients.cutCount == 0)
      #expect(try system.memoryMax(of: "gateway") < Self.memoryMax)
      isUnnoticed = flooded <= max(quiet * 2, Self.unnoticed)
      measured.append("quiet \(quiet), flooded \(flooded)")
    }
    #expect(isUnnoticed, "\(flood): \(measured)")
    let memory = try system.memoryMax(of: "gateway")
    print("\(flood): \(measured.joined(separator: "; ")), \(memory) bytes")
  }

  @Test(
    "a frame on a closed stream, and a decreasing stream number, end the connection",
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
      let notified = answer[goAway.upperBound...].dropFirst(4).prefix(4)
      #expect(notified.reduce(0) { $0 << 8 | UInt32($1) } == code.rawValue, "\(frames)")
    }
  }

  /// The 99th percentile of the durations of requests with short pauses during a flood. Returns
  /// once the server has answered each connection, or has cut it if it can.
  private static func percentile99(
    of client: PublicClient, during flood: FloodingClients
  ) async throws -> Duration {
    async let running: Void = flood.run(connections)
    defer { flood.end() }
    var times: [Duration] = []
    let end = ContinuousClock.now + half
    while ContinuousClock.now < end || times.count < 100 || flood.effectCount < connections {
      let begun = ContinuousClock.now
      guard begun < end + effectMax else {
        throw FixtureProblem("\(flood.effectCount) of \(connections) connections were stopped.")
      }
      let reply = try await client.get("/health")
      times.append(ContinuousClock.now - begun)
      #expect(reply.status == 200)
      try await pause(.milliseconds(2))
    }
    flood.end()
    await running
    return times.sorted()[times.count * 99 / 100]
  }
}

extension TestSystem {
  /// The gateway's answer to frames, in hexadecimal, sent after the preface, until it closes.
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
