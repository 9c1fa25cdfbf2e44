import EventLoop
import PublicAPI
import ServiceKit
import Web

/// The frames of runs on one loop: those of followed runs at once, others after the follower has
/// read them.
struct LiveFrames: Sendable {
  private let frameStore: LoopBound<FrameStore>
  private let follower: LoopBound<LiveFollower>

  /// The runs of this frame store, filled by this follower.
  init(_ frameStore: LoopBound<FrameStore>, follower: LoopBound<LiveFollower>) {
    self.frameStore = frameStore
    self.follower = follower
  }

  /// The current frame of a run; nil for a run that is not listed.
  ///
  /// - Throws: `internalError` for an unreadable run, `unavailable`.
  func frame(of runID: Int64) async throws(ApplicationError) -> LiveFrame? {
    if let frame = frameStore.value.frame(of: runID) {
      frame.spectatorCount.ask(at: frameStore.loop.now)
      return frame
    }
    let follower = follower
    let found = await withCheckedContinuation { continuation in
      follower.loop.execute { follower.value.find(runID, continuation) }
    }
    switch found {
    case .frame(let frame): return frame
    case .unknown: return nil
    case .unreadable: throw .internalError(because: "The stored run can't be read.")
    case .unavailable: throw .unavailable(retryAfter: 1)
    }
  }

  /// A stream for a spectator; all streams of a run share their bytes.
  ///
  /// - Throws: `unavailable` if there are too many, or the process is stopping.
  func stream(from frame: LiveFrame) throws(ApplicationError) -> Response {
    let frameStore = frameStore
    let stream = LoopBound(try frameStore.value.open(frame), on: frameStore.loop)
    return .events { writer in
      defer { frameStore.value.close(stream.value) }
      while true {
        switch await stream.value.next() {
        case .events(let bytes):
          for start in stride(from: 0, to: bytes.count, by: Self.pieceBytesMax) {
            let end = min(start + Self.pieceBytesMax, bytes.count)
            try await writer.write(Array(bytes[start..<end]))
          }
        case .heartbeat: try await writer.comment()
        case .end(let end):
          if end == .stopping { try await writer.comeAgain() }
          return
        }
      }
    }
  }

  /// The number of bytes passed to a connection at once, and so the bound on the buffer of a slow
  /// client.
  private static let pieceBytesMax = 64 << 10
}
