import Foundation
import HTTP
import Support
import Testing

/// Counts of allocations depend on the code alone, not on other load: so a test can hold them.
@Suite("The allocations of a proxied request")
struct AllocationJourney {
  /// The requests of a load, after one that opens the connection.
  private static let requestCount = 300
  /// The number of rounds; the smallest result counts.
  private static let roundCount = 3
  /// The windows over which the gateway's regular work is counted, such as health checks. A slow
  /// database makes a load longer, and with it the part of this work.
  private static let quietWindows = (count: 5, length: Duration.seconds(1))

  /// A kind of request, with its row in the table of docs/benchmarks.md.
  private enum Kind: String, CaseIterable {
    case get = "GET, HTTP/1.1"
    case post = "POST with schema check, HTTP/1.1"
    case secure = "POST with schema check, HTTP/1.1 over TLS 1.3"
    case multiplexed = "POST with schema check, HTTP/2 over TLS"

    var way: PublicClient.Way {
      switch self {
      case .get, .post: .plain
      case .secure: .http1
      case .multiplexed: .http2
      }
    }
  }

  @Test("a proxied request allocates no more than the table of benchmarks says")
  func held() async throws {
    // A separate system: a gateway also reads the logins of other tests on its system.
    let system = try await TestSystem()
    let user = try await system.singleUser()
    let gateway = try await CountedGateway(of: system)
    let written = try Self.written()
    // Work of the start, such as the first connections to the services, is not regular.
    let first = try PublicClient(system, .plain, port: gateway.httpPort)
    var warmUp = Load(client: first, token: user.token, isPost: false)
    try await warmUp.send(Self.requestCount)
    first.close()
    let regular = try await Self.regularWork(of: gateway)
    for kind in Kind.allCases {
      let port = kind.way == .plain ? gateway.httpPort : gateway.httpsPort
      let client = try PublicClient(system, kind.way, port: port)
      var load = Load(client: client, token: user.token, isPost: kind != .get)
      try await load.send(Self.requestCount)
      var least = Double.infinity
      for _ in 0..<Self.roundCount {
        let (start, before) = (ContinuousClock.now, try gateway.allocations())
        try await load.send(Self.requestCount)
        let count = Double(try gateway.allocations() - before)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        least = min(least, (count - regular * seconds) / Double(Self.requestCount))
      }
      client.close()
      let most = try #require(written[kind.rawValue], "docs/benchmarks.md lacks \(kind.rawValue)")
      print("allocations of the gateway a request, \(kind.rawValue): \(least)")
      // Fewer would be too much regular work subtracted, or a library that counts nothing.
      #expect((1...most).contains(least), "\(kind.rawValue)")
    }
    try gateway.stop()
    await system.stop()
  }

  /// The allocations a second without requests: the fewest, so that a busy window hides nothing.
  private static func regularWork(of gateway: CountedGateway) async throws -> Double {
    var least = Double.infinity
    for _ in 0..<quietWindows.count {
      let (start, before) = (ContinuousClock.now, try gateway.allocations())
      try await pause(quietWindows.length)
      let count = Double(try gateway.allocations() - before)
      least = min(least, count / ((ContinuousClock.now - start) / .seconds(1)))
    }
    return least
  }

  /// One request after another: calls of the account, or uploads of a heart rate each.
  private struct Load {
    let client: PublicClient
    let token: String
    let isPost: Bool
    private var second = 0

    init(client: PublicClient, token: String, isPost: Bool) {
      (self.client, self.token, self.isPost) = (client, token, isPost)
    }

    mutating func send(_ count: Int) async throws {
      for _ in 0..<count {
        second += 1
        let reply =
          isPost
          ? try await client.post("/data/upload", token: token, upload)
          : try await client.get("/auth/me", token: token)
        try #require(reply.outcome == .ok, "\(reply.text)")
      }
    }

    /// A sample of the current second.
    private var upload: JSONValue {
      let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(second))
      return [
        "dataTypes": ["heartRate"], "values": [70], "timestamp": [.text(time.formatted(.iso8601))],
      ]
    }
  }

  /// The numbers of the table "Allocations" in docs/benchmarks.md by the names of its rows.
  private static func written() throws -> [String: Double] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "docs/benchmarks.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## Allocations\n").dropFirst().first)
    let table = section.components(separatedBy: "\n## ")[0]
    let rows = table.split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return Dictionary(
      rows.compactMap { row in row.count == 2 ? Double(row[1]).map { (row[0], $0) } : nil },
      uniquingKeysWith: { first, _ in first })
  }
}
