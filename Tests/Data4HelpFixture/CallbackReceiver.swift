import Domain
import EventLoop
import Foundation
import HTTP
import Operations
import PublicAPI
import Sharing
import Support
import Synchronization
import Testing
import Web

/// A third party's endpoint on the loopback with programmable answers, which records every call.
package final class CallbackReceiver: Sendable {
  /// The answer to a call.
  package enum Answer: Sendable {
    case status(Int)
    case later(Int, retryAfter: Int)
    /// No answer before `release`.
    case hang
    /// This status, after `release`.
    case held(Int)
  }

  /// A received call, with its body.
  package struct Call: Sendable {
    package let id: String
    package let timestamp: String
    package let signature: String
    package let body: [UInt8]
    package let type: String
    package let requestID: String
    package let number: Int
    package let timestamps: [String]
  }

  package struct Silent: Error {}

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
  package static func with(_ body: @Sendable (CallbackReceiver) async throws -> Void) async throws {
    let endpoint = try CallbackReceiver()
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

  package var url: String { "http://127.0.0.1:\(state.withLock { $0.port })/" }

  /// Calls so far, excluding challenges.
  package var calls: [Call] { state.withLock { $0.calls } }

  /// Sets the answers from now on.
  package func answer(_ answer: @escaping @Sendable (Call) -> Answer) {
    state.withLock { $0.answer = answer }
  }

  /// Answers the pending calls.
  package func release() {
    let hanging = state.withLock { state in
      defer { state.hanging = [] }
      return state.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Waits for the first `count` calls.
  package func calls(_ count: Int) async throws -> [Call] {
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

extension CallbackReceiver.Call {
  /// The data of the event.
  package var data: [String: Any]? {
    let document = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    return document?["data"] as? [String: Any]
  }
}

/// The callback of a third party.
extension SingleRequestStage {
  /// The clinic's callback.
  package func register(_ endpoint: CallbackReceiver) async throws -> Reply {
    try await call(
      .storeCallback, "{\"url\":\"\(endpoint.url)\"}", by: Known.clinic, .thirdParty)
  }

  package func resend(since number: Int) async throws -> Reply {
    try await call(.resendCallback, "{\"since\":\(number)}", by: Known.clinic, .thirdParty)
  }

  /// The clinic, with a callback, subscribes to Mario, who accepts with two samples stored.
  package func follow(_ endpoint: CallbackReceiver) async throws -> String {
    try await populate()
    try await store(2)
    #expect(try await register(endpoint).status == 200)
    let requestID = try await subscribe()
    #expect(try await choose("accept", requestID).status == 200)
    return requestID
  }

  /// Takes on third parties with undelivered events; returns their number.
  package func callOnce() async throws -> Int {
    try await here { try await self.callbacks.value.claim() }
  }
}
