import Cryptography
import Data4HelpSync
import Domain
import HTTP
import InternalAPI
import Operations
import Runs
import ServiceKit

extension RunFixture {
  /// The dependencies of runs in a process that calls these replicas of Data4Help; each has the
  /// time limit for an answer.
  package func dependencies(
    _ replicas: [SocketAddress], answerWithin limit: Duration = .seconds(5),
    keepInvitations: Duration = .seconds(400 * 86_400)
  ) -> RunDependencies {
    RunDependencies(
      environment: environment, zone: .utc, database: database, root: Self.root,
      links: PublicLinks(publicURL: "https://trackme.test"), keepInvitations: keepInvitations,
      data4help: Data4HelpClient(
        InternalClient(
          replicas: replicas, secret: InternalSecret(root: Self.root), on: loop,
          answerWithin: limit)),
      wakeUp: wakeUp, downloads: DownloadSlots(), log: .none, metrics: Metrics())
  }
}
