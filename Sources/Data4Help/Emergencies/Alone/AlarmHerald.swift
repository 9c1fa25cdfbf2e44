import Domain
import EventLoop
import JSON
import Services
import Synchronization

/// Warns people on the streams of this process while the database is unavailable. From any thread.
package final class AlarmHerald: Sendable {
  /// Receives the account to warn, the event's name, and its data.
  typealias Listener = @Sendable (AccountID, String, [UInt8]) -> Void

  private let listeners = Mutex<[Listener]>([])

  /// A herald without listeners.
  package init() {}

  /// Calls `tell` for every warning, from any thread.
  func heard(_ tell: @escaping Listener) {
    listeners.withLock { $0.append(tell) }
  }

  /// Publishes the present stage of an emergency: the same event as a notice's, without its number.
  func tell(_ row: EmergencyRow, at now: WallTime) {
    let notice = EmergencyNotice.standing(row)
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("kind", notice.kind.word)
      writer.field("time", now.timestamp.description)
      writer.field("read", false)
      writer.raw("data", notice.payload)
    }
    for tell in listeners.withLock({ $0 }) { tell(row.account, notice.kind.word, writer.bytes) }
  }
}
