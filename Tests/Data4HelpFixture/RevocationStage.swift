import EventLoop
import Sharing
import Support

extension SingleRequestStage {
  /// Runs `body` while this replica follows revocations.
  package func watched(_ body: () async throws -> Void) async throws {
    let watch = LoopBound(RevocationWatch(parts), on: parts.loop)
    try await here { watch.value.start() }
    try await eventually("the replica in the list", within: .seconds(120)) {
      try cell("SELECT count(*) FROM data4help.delivering_replicas") != "0"
    }
    do { try await body() } catch {
      try await here { await watch.value.stop() }
      throw error
    }
    try await here { await watch.value.stop() }
  }
}
