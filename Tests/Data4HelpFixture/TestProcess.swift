import Accounts
import Cryptography
import Data4Help
import Domain
import Emergencies
import EventLoop
import Foundation
import InternalAPI
import Operations
import ServiceKit
import Sharing
import Support
import Telephony
import Webhooks

/// What the services of all tests share.
package enum TestProcess {
  /// Hashes passwords at a cost that is negligible for a test.
  package static let passwords = Result {
    try PasswordPool(cores: 2, hasher: PasswordHasher(cost: AuthenticationStage.cheap))
  }
  private static let counting = Result {
    try BlockingPool(name: "groups", threads: 1, queueMax: 64)
  }
  private static let callbacks = Result {
    try CallbackPoster(CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [])))
  }
  private static let push = Result {
    try PushSender(
      CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [])), key: .random(),
      contact: "mailto:trackme@example.com")
  }
  private static let journal = Result {
    try AbortJournal(directory: FileManager.default.temporaryDirectory.path + "/no-aborts")
  }

  /// The components of the service's main program on one loop, without calls to third parties and
  /// hospitals, and without connections of their own for emergencies.
  package static func components(
    on loop: EventLoop, _ databases: DatabasePair, settings: LoopSettings, clock: ManualClock,
    log: Log, root: RootSecret = .random(), passwords: PasswordPool? = nil,
    timeZones: TimeZones = TimeZones(standardName: "UTC", standard: .utc)
  ) throws -> Data4HelpLoop {
    let parts = ProcessParts(
      settings, environment: clock.environment, log: log, root: root, masterKeys: .random(),
      timeZones: timeZones, passwords: try passwords ?? Self.passwords.get(),
      counting: try counting.get(), callbacks: try callbacks.get(), push: try push.get(),
      payments: .none, personNoise: .silent, noise: .silent,
      voices: EmergencyVoices(number: RecordedVoice(on: loop), contacts: nil),
      journal: try journal.get(), fences: RevocationFences())
    return Data4HelpLoop(
      loop, parts, databases: databases, reserved: databases,
      track4run: InternalClient(replicas: [], secret: InternalSecret(root: root), on: loop))
  }
}
