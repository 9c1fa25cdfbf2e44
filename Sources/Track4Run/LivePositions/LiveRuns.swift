import EventLoop
import HTTP
import PublicAPI
import Services

/// The frames of runs on one loop: those of followed runs at once, others after the follower has
/// read them.
struct LiveRuns: Sendable {
  private let board: LoopBound<LiveBoard>
  private let follower: LoopBound<LiveFollower>

  /// The runs on this board, filled by this follower.
  init(_ board: LoopBound<LiveBoard>, follower: LoopBound<LiveFollower>) {
    self.board = board
    self.follower = follower
  }

  /// The current frame of a run; nil for a run that is not listed.
  ///
  /// - Throws: `internalError` for an unreadable run, `unavailable`.
  func frame(of runID: Int64) async throws(ApplicationError) -> LiveFrame? {
    if let frame = board.value.frame(of: runID) {
      frame.audience.ask(at: board.loop.now)
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
    let board = board
    let stream = LoopBound(try board.value.open(frame), on: board.loop)
    return .events { writer in
      defer { board.value.close(stream.value) }
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
