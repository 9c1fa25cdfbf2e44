import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit
import Sharing

/// `trackme audit verify`: verifies the record of accesses of every person against the checkpoints
/// stored next to the account keys. The exit code is 0 only if no entry was changed, removed or cut
/// off; the databases must be running.
enum AuditCommand {
  static let usage = "usage: trackme audit verify"

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      guard operands == ["verify"] else {
        throw StartError(usage)
      }
      let outcome = try audit(installation)
      Terminal.say("\(outcome.records) records, \(outcome.entries) entries")
      for finding in outcome.findings {
        Terminal.say("account \(finding.account): \(finding.fault.description)")
      }
      guard outcome.findings.isEmpty else {
        throw StartError("\(outcome.findings.count) records differ from their written entries.")
      }
    }
  }

  private static func audit(
    _ installation: Installation
  ) throws(StartError) -> AccessAudit.Outcome {
    let urls = try DatabaseURLs(installation)
    let data = settings(try urls.url(.data4help, .trackme))
    let keys = settings(try urls.url(.data4help, .keys))
    let root = try installation.settings.rootSecret()
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "audit") } catch {
      throw StartError("The audit cannot be started", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<AccessAudit.Outcome, StartError>>()
    loop.begin {
      let database = Database(data, on: loop)
      let keysDatabase = Database(keys, on: loop)
      do throws(StartError) {
        try await KeyChecks(
          installation.settings, root: root, in: database, keysDatabase: keysDatabase,
          now: Environment.system.now
        ).require()
        let audit = AccessAudit(database: database, keysDatabase: keysDatabase, root: root)
        result.resolve(.success(try await outcome(of: audit)))
      } catch {
        result.resolve(.failure(error))
      }
      database.close()
      keysDatabase.close()
    }
    return try result.wait().get()
  }

  private static func outcome(
    of audit: AccessAudit
  ) async throws(StartError) -> AccessAudit.Outcome {
    do throws(ApplicationError) { return try await audit.run() } catch {
      throw StartError(error.cause ?? "The databases cannot be reached: do they run?")
    }
  }

  private static func settings(_ url: Secret) -> DatabaseSettings {
    DatabaseSettings(url: url.revealed, applicationName: "trackme audit")
  }
}
