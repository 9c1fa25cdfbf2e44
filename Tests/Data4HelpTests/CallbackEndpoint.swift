import EventLoop
import Foundation
import HTTP
import Operations
import Services
import Support
import Synchronization

/// A third party's endpoint on the loopback with programmable answers, which records every call.
final class CallbackEndpoint: Sendable {
  /// The answer to a call.
  enum Answer: Sendable {
    case status(Int)
    case later(Int, retryAfter: Int)
    /// No answer before `release`.
    case hang
    /// This status, after `release`.
    case held(Int)
  }

  /// A received call, with its body.
  struct Call: Sendable {
    let id: String
    let timestamp: String
    let signature: String
    let body: [UInt8]
    let type: String
    let requestID: String
    let number: Int
    let timestamps: [String]
  }

  struct Silent: Error {}

  private struct State {
    var calls: [Call] = []
    var answer: @Sendable (Call) -> Answer = { _ in .status(200) }
    var hanging: [CheckedContinuation<Void, Never>] = []
    var port: UInt16 = 0
  }

  private let state = Mutex(State())
  private let loop: EventLoop

  private init() throws { loop = try EventLoop.start(name: "endpoint") }

  /// Runs `body` with an endpoint.
  static func with(_ body: @Sendable (CallbackEndpoint) async throws -> Void) async throws {
    let endpoint = try CallbackEndpoint()
    let service = Service(
      Router([
        Route(.post, "/", bodyBytesMax: 16 << 20) { (request) throws(Problem) in
          await endpoint.take(request)
        }
      ]), log: .none)
    let server = try await HTTPServer.start(
      [HTTPListener(.tcp(host: "127.0.0.1", port: 0))], on: [endpoint.loop],
      handlers: service.handlers)
    guard case .tcp(_, let port) = server.addresses[0] else { throw Silent() }
    endpoint.state.withLock { $0.port = port }
    do {
      try await body(endpoint)
    } catch {
      endpoint.release()
      endpoint.loop.stop()
      throw error
    }
    endpoint.release()
    endpoint.loop.stop()
  }

  var url: String { "http://127.0.0.1:\(state.withLock { $0.port })/" }

  /// Calls so far, excluding challenges.
  var calls: [Call] { state.withLock { $0.calls } }

  /// Sets the answers from now on.
  func answer(_ answer: @escaping @Sendable (Call) -> Answer) {
    state.withLock { $0.answer = answer }
  }

  /// Answers the pending calls.
  func release() {
    let hanging = state.withLock { state in
      defer { state.hanging = [] }
      return state.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Waits for the first `count` calls.
  func calls(_ count: Int) async throws -> [Call] {
    try await eventually("\(count) calls", within: .seconds(120), every: .milliseconds(5)) {
      calls.count >= count
    }
    return calls
  }

  private func take(_ request: Request) async -> Response {
    let bytes = request.body.bytes
    let document =
      (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
    let data = document["data"] as? [String: Any] ?? [:]
    if let challenge = data["challenge"] as? String {
      return .json(Array("{\"challenge\":\"\(challenge)\"}".utf8))
    }
    let fields = request.head.fields
    let samples = data["samples"] as? [[String: Any]] ?? []
    let call = Call(
      id: fields["webhook-id"] ?? "", timestamp: fields["webhook-timestamp"] ?? "",
      signature: fields["webhook-signature"] ?? "", body: bytes,
      type: document["type"] as? String ?? "", requestID: data["reqID"] as? String ?? "",
      number: document["seq"] as? Int ?? 0,
      timestamps: samples.compactMap { $0["timestamp"] as? String })
    let answer = state.withLock { state in
      state.calls.append(call)
      return state.answer(call)
    }
    switch answer {
    case .status(let status): return Response(HTTPStatus(status))
    case .later(let status, let seconds):
      var response = Response(HTTPStatus(status))
      response.fields.append("retry-after", "\(seconds)")
      return response
    case .hang:
      await hang()
      return Response()
    case .held(let status):
      await hang()
      return Response(HTTPStatus(status))
    }
  }

  private func hang() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.hanging.append(continuation) }
    }
  }
}

extension CallbackEndpoint.Call {
  /// The data of the event.
  var data: [String: Any]? {
    let document = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    return document?["data"] as? [String: Any]
  }
}
