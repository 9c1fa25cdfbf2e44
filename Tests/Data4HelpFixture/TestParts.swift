import Accounts
import Cryptography
import Data4Help
import Domain
import EventLoop
import HealthRecords
import Mail
import Operations
import Postgres
import Sharing

/// The parts that tests use of one loop of the service, over one pair of databases.
package struct TestParts: Sendable {
  package let dependencies: LoopDependencies

  package init(_ dependencies: LoopDependencies) { self.dependencies = dependencies }

  package var sharing: SharingDependencies { dependencies.sharing }
  package var loop: EventLoop { sharing.loop }
  package var environment: Environment { sharing.environment }
  package var database: Database { sharing.database }
  package var keysDatabase: Database { sharing.keysDatabase }
  package var accountKeys: AccountKeys { sharing.accountKeys }
  package var root: RootSecret { sharing.root }
  package var zone: TimeZoneRules { sharing.zone }
  package var mailQueue: MailQueue { sharing.mailQueue }
  package var notices: Notices { sharing.notices }
  package var events: ThirdPartyEvents { sharing.events }
  package var relayWakeUp: RelayWakeUpSignal { sharing.relayWakeUp }
  package var fence: LoopBound<RevocationFence> { sharing.fence }
  package var log: Log { sharing.log }
  package var metrics: Metrics { sharing.metrics }
}
