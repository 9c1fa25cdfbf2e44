import Accounts
import Domain
import JSON
import ServiceKit
import Synchronization
import Time

/// Publishes alarms on the streams of this process while the database is unavailable. From any
/// thread.
package final class AlarmBroadcaster: Sendable {
  /// Receives the account of the alarm, the event's name, and its data.
  package typealias Listener = @Sendable (AccountID, String, [UInt8]) -> Void

  private let listeners = Mutex<[Listener]>([])

  /// A broadcaster without listeners.
  package init() {}

  /// Calls `listener` for every alarm, from any thread.
  package func subscribe(_ listener: @escaping Listener) {
    listeners.withLock { $0.append(listener) }
  }

  /// Publishes the present stage of an emergency: the same event as a notice's, without its number.
  func publish(_ row: EmergencyRow, at now: Instant) {
    let notice = EmergencyNotice.standing(row)
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("kind", notice.kind.apiName)
      writer.field("time", now.description)
      writer.field("read", false)
      writer.raw("data", notice.payload)
    }
    for listener in listeners.withLock({ $0 }) {
      listener(row.account, notice.kind.apiName, writer.bytes)
    }
  }
}
