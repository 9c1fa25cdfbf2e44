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
  /// How long the server may take to answer or cut all connections of a flood.
  private static let effectMax = Duration.seconds(120)
  /// Requests of the other client during each flood.
  private static let requestsMin = 100

  /// How long the other client's requests take is measured by the benchmark `floods`, where gateway
  /// and clients have cores of their own.
  @Test(
    "a flood is cut off, or limited in resources, and another client is served",
    .timeLimit(.minutes(5)), arguments: Flood.allCases)
  func flooded(_ flood: Flood) async throws {
    let system = try await Self.system.value
    let client = try PublicClient(system, .http2)
    defer { client.close() }
    let place = Flood.allCases.firstIndex(of: flood) ?? 0
    let clients = FloodingClients(flood, port: system.httpPort, from: "127.0.1.\(place + 1)")
    async let running: Void = clients.run(Self.connections)
    defer { clients.end() }
    var served = 0
    let end = ContinuousClock.now + Self.effectMax
    while served < Self.requestsMin || clients.effectCount < Self.connections {
      try #require(
        ContinuousClock.now < end,
        "\(flood): \(clients.effectCount) of \(Self.connections) connections answered or cut off")
      let reply = try await client.get("/health")
      try #require(reply.status == 200, "\(flood), after \(served) responses: \(reply.text)")
      served += 1
      try await pause(.milliseconds(2))
    }
    clients.end()
    await running
    #expect(flood.isCut || clients.cutCount == 0)
    #expect(try system.memoryMax(of: "gateway") < Self.memoryMax)
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
