import Domain
import EventLoop
import HTTP
import Time

/// The clients of `trackme-lab bench flood`. This file is in this folder for the reason given in
/// `SOSLoad`. Confined to its loop.
final class FloodLoad {
  /// How long to wait for the last answers.
  private static let waitMax = Duration.seconds(10)
  /// The most uploads started in one turn; answers and new connections are handled between turns.
  private static let burstMax = 256

  private let order: BenchFlood.Order
  private let loop: EventLoop
  private var idle: [UploadingClient] = []
  /// Connections that are open or were just closed.
  private var connections = 0
  private var sent = 0
  private var answered = 0
  private var refused = 0
  /// Broken connections by the kind of failure.
  private var losses: [StreamFailure: Int] = [:]
  private var waited = 0
  /// The durations of accepted uploads in milliseconds, and how many were accepted within the time.
  private var uploads: [Double] = []
  private var served = 0
  private var begun = MonotonicInstant.zero
  /// The document that every person sends in the current turn.
  private var body: [UInt8] = []
  private let newest = RunSimulation.now

  init(_ order: BenchFlood.Order, on loop: EventLoop) {
    self.order = order
    self.loop = loop
  }

  /// Runs the benchmark and returns the figures as JSON.
  func run() async -> String {
    begun = loop.now
    let end = begun + .seconds(order.seconds)
    while loop.now < end {
      send()
      await rest()
    }
    served = uploads.count
    let last = end + Self.waitMax
    while answered < sent, loop.now < last { await rest() }
    return figures()
  }

  private func rest() async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: .milliseconds(1)) { continuation.resume() }
    }
  }

  /// Sends the uploads that are due, limited by the number of idle connections.
  private func send() {
    let elapsed = (loop.now - begun) / .seconds(1)
    let due = order.rate == 0 ? Int.max : Int(elapsed * Double(order.rate))
    let last = min(due, sent + Self.burstMax)
    while sent < last, let client = freeClient() {
      // A late upload means that it waited for a connection.
      if order.rate > 0, due - sent > order.rate / 10 { waited += 1 }
      let (turn, place) = sent.quotientAndRemainder(dividingBy: order.people.count)
      if place == 0 { body = document(of: turn) }
      sent += 1
      upload(by: order.people[place], client)
    }
  }

  private func freeClient() -> UploadingClient? {
    if let client = idle.popLast() { return client }
    guard connections < order.connections else { return nil }
    connections += 1
    return UploadingClient(order.port, on: loop)
  }

  /// Heart rates of the seconds before those of the previous turn: no person sends a time twice.
  private func document(of turn: Int) -> [UInt8] {
    let seconds = (0..<order.samples).map { Int64(turn * order.samples + $0) }
    let types = seconds.map { _ in "\"heartRate\"" }.joined(separator: ",")
    let values = seconds.map { String(60 + $0 % 30) }.joined(separator: ",")
    let times = seconds.map { second in
      let time = Instant(
        millisecondsSince1970: newest.millisecondsSince1970 - 1000 * second)
      return "\"\(time)\""
    }.joined(separator: ",")
    return Array("{\"dataTypes\":[\(types)],\"values\":[\(values)],\"timestamp\":[\(times)]}".utf8)
  }

  private func upload(by token: String, _ client: UploadingClient) {
    let start = loop.now
    client.upload(body, by: token) { [self] isAccepted in
      answered += 1
      if let failure = client.failure {
        losses[failure, default: 0] += 1
        connections -= 1
        return
      }
      if isAccepted { uploads.append((loop.now - start) / .milliseconds(1)) } else { refused += 1 }
      idle.append(client)
    }
  }

  private func figures() -> String {
    uploads.sort()
    let seconds = Double(order.seconds)
    let lost = losses.values.reduce(0, +)
    let ways = losses.map { "\"\($0.cause), \($0.progress)\":\($1)" }.joined(separator: ",")
    return """
      {"sent":\(sent),"accepted":\(uploads.count),"refused":\(refused),"lost":\(lost),\
      "losses":{\(ways)},"unanswered":\(sent - answered),"late":\(waited),\
      "offered":\(Double(sent) / seconds),"served":\(Double(served) / seconds),\
      "connections":\(connections),"upload50":\(uploads.part(0.5)),"upload99":\(uploads.part(0.99))}
      """
  }
}
