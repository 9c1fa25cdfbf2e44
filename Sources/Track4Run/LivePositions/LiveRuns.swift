import EventLoop
import HTTP
import PublicAPI
import Services

/// The runs as one loop can show them: those that are followed at once, others once they were read.
struct LiveRuns: Sendable {
  private let board: LoopBound<LiveBoard>
  private let follower: LoopBound<LiveFollower>

  /// The runs on this board, which this follower fills.
  init(_ board: LoopBound<LiveBoard>, follower: LoopBound<LiveFollower>) {
    self.board = board
    self.follower = follower
  }

  /// A run as it is now; nil of one that is not listed.
  ///
  /// - Throws: 500 for one that is not as it was stored, 503.
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
    case .unreadable: throw .internalError(because: "A run is not as it was stored.")
    case .unavailable: throw .unavailable(retryAfter: 1)
    }
  }

  /// A stream of spectators, of which everybody gets the same.
  ///
  /// - Throws: 503 when there are too many, or the process stops.
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

  /// What is handed to a connection at a time, in bytes: whoever is slow has no more waiting.
  private static let pieceBytesMax = 64 << 10
}
