import Domain
import EventLoop
import JSON
import Services
import Synchronization

/// Warns people on the streams of this process while the database is away. From any thread.
package final class AlarmHerald: Sendable {
  /// Told whom to warn, the event's name, and its data.
  typealias Listener = @Sendable (AccountID, String, [UInt8]) -> Void

  private let listeners = Mutex<[Listener]>([])

  /// Nobody listens yet.
  package init() {}

  /// Calls `tell` with every warning, from any thread.
  func heard(_ tell: @escaping Listener) {
    listeners.withLock { $0.append(tell) }
  }

  /// Warns of an emergency as it stands: the same event as a notice's, but for its number.
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
