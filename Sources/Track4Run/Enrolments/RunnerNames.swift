import Domain
import EventLoop
import HTTP
import Privacy
import Services

/// Seals and opens what runners call themselves in a run. One per loop.
struct RunnerNames: Sendable {
  private let key: LoopBound<SealingKey>

  /// Names under the server's key.
  init(root: RootSecret, on loop: EventLoop) {
    key = LoopBound(SealingKey(runnerNamesOf: root), on: loop)
  }

  /// The name as it is stored with an enrolment.
  func sealed(_ name: RunnerName, in runID: Int64, of runner: AccountID) -> [UInt8] {
    key.value.seal(name.text, for: Self.place(runID, runner))
  }

  /// The name that was chosen, if one was.
  ///
  /// - Throws: 500 for one that is not as it was stored.
  func opened(
    _ sealed: [UInt8]?, in runID: Int64, of runner: AccountID
  ) throws(Problem) -> String? {
    guard let sealed else { return nil }
    let bytes = try intact { () throws(PrivacyError) in
      try key.value.open(sealed.span, for: Self.place(runID, runner))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func place(_ runID: Int64, _ runner: AccountID) -> SealContext {
    SealContext(table: "enrolments", column: "sealed_name", row: SealRow(runID, runner.rawValue))
  }
}
