import Domain
import EventLoop
import HTTP
import JSON
import PublicAPI
import Web

/// Counting spectators who poll (RUN-15).
extension GatewayExchange {
  /// Reads the run that a spectator polls; the caller is counted once the request has succeeded.
  func notePolledRun(_ plan: EndpointPlan, _ head: borrowing RequestHead) {
    guard plan.endpoint.countsSpectators else { return }
    polledRun = PolledRun(query: query, path: head.pathText, body: body.opening.bytes)
    fill?.polledRun = polledRun
  }

  /// Counts the caller of a successful request.
  func countSpectator(status: UInt16) {
    guard let polledRun, status == 200 || status == 304, let peer = stream?.peer else { return }
    context.spectators.note(polledRun, from: peer, at: context.loop.now)
  }
}

extension PolledRun {
  /// The run named by the query, the body or the path of a page; nil if none is.
  fileprivate init?(query: Query?, path: String, body: [UInt8]) {
    if path.hasPrefix("/r/") {
      guard query?["watch"] == "1" else { return nil }
      self = .code(RunCode.normalised(String(path.dropFirst(3))))
      return
    }
    if let number = query?["runID"].flatMap({ Int64($0) }) {
      self = .number(number)
      return
    }
    do throws(JSONError) {
      self = .number(try JSONReader.read(NamedRun.self, from: body).number)
    } catch {
      return nil
    }
  }
}

/// The run named in a body.
private struct NamedRun: JSONReadable {
  let number: Int64

  init(from reader: inout JSONReader) throws(JSONError) {
    number = try reader.object(with: "runID") { (reader) throws(JSONError) in
      let digits = try reader.scalarBytes { _, text in String(copying: text) }
      guard let number = Int64(digits) else { throw reader.refusal("Give the number of a run.") }
      return number
    }
  }
}
