import Data4Help
import Delivery
import Domain
import EventLoop
import Operations
import Postgres
import Privacy
import Services

/// The parts that tests use of one loop of the service, over one pair of databases.
struct TestParts: Sendable {
  let dependencies: LoopDependencies

  init(_ dependencies: LoopDependencies) { self.dependencies = dependencies }

  var sharing: SharingDependencies { dependencies.sharing }
  var loop: EventLoop { sharing.loop }
  var environment: Environment { sharing.environment }
  var database: Database { sharing.database }
  var keysDatabase: Database { sharing.keysDatabase }
  var accountKeys: AccountKeys { sharing.accountKeys }
  var root: RootSecret { sharing.root }
  var zone: TimeZoneRules { sharing.zone }
  var mailQueue: MailQueue { sharing.mailQueue }
  var notices: Notices { sharing.notices }
  var events: ThirdPartyEvents { sharing.events }
  var relayWakeUp: RelayWakeUpSignal { sharing.relayWakeUp }
  var fence: LoopBound<RevocationFence> { sharing.fence }
  var log: Log { sharing.log }
  var metrics: Metrics { sharing.metrics }
}
