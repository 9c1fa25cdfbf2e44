import Cryptography
import Domain
import EventLoop
import Postgres

/// Seals and opens the names that runners chose for a run. One per loop.
package struct RunnerNames: Sendable {
  private let key: LoopBound<SealingKey>
  private let unreadable: UnreadableRows

  /// Creates names under the server's key; unreadable ones are reported to `unreadable`.
  package init(root: RootSecret, unreadable: UnreadableRows, on loop: EventLoop) {
    key = LoopBound(SealingKey(runnerNamesOf: root), on: loop)
    self.unreadable = unreadable
  }

  /// Whether an enrolment's result is shown without a name: the account was deleted, or the runner
  /// left without keeping the name. An expression over the columns of `enrolment`.
  package static let isAnonymous: StaticString =
    "(enrolment.account_id < 0 OR enrolment.left_at IS NOT NULL AND NOT enrolment.keeps_name)"

  /// The name in its stored form.
  func sealed(_ name: RunnerName, in runID: Int64, of runner: AccountID) -> [UInt8] {
    key.value.seal(name.text, for: Self.context(runID, runner))
  }

  /// The chosen name; nil if none was chosen or the stored one is unreadable, which is reported.
  package func opened(
    _ sealed: [UInt8]?, in runID: Int64, of runner: AccountID, number: Int32
  ) -> String? {
    guard let sealed else { return nil }
    do throws(CryptographyError) {
      let bytes = try key.value.open(sealed.span, for: Self.context(runID, runner))
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      unreadable.report(.name(run: runID, number: number), error)
      return nil
    }
  }

  static func context(_ runID: Int64, _ runner: AccountID) -> SealContext {
    SealContext(table: "enrolments", column: "sealed_name", row: SealRow(runID, runner.rawValue))
  }
}
