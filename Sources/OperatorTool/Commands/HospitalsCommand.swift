import Domain
import Emergencies
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit

/// `trackme hospitals approve|revoke EMAIL`: approves a third party as a hospital that answers
/// emergencies, or revokes the approval (SOS-12). The database must be running.
enum HospitalsCommand {
  static let usage = "usage: trackme hospitals approve|revoke EMAIL"

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      guard operands.count == 2, ["approve", "revoke"].contains(operands[0]) else {
        throw StartError(usage)
      }
      let email: EmailAddress
      do throws(EmailAddressError) { email = try EmailAddress(operands[1]) } catch {
        throw StartError(error.description)
      }
      let isApproved = operands[0] == "approve"
      guard try set(isApproved, for: email, installation) else {
        throw StartError("No active third party has this email.")
      }
      Terminal.say(
        isApproved ? "It may answer emergencies." : "It may no longer answer emergencies.")
    }
  }

  private static func set(
    _ isApproved: Bool, for email: EmailAddress, _ installation: Installation
  ) throws(StartError) -> Bool {
    let url = try DatabaseURLs(installation).url(.data4help, .trackme)
    let root = try installation.settings.rootSecret()
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "hospitals") } catch {
      throw StartError("The database can't be reached", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<Bool, StartError>>()
    loop.begin {
      let database = Database(
        DatabaseSettings(url: url.revealed, applicationName: "trackme hospitals"), on: loop)
      do throws(StartError) {
        try await KeyChecks(
          installation.settings, root: root, in: database, now: Environment.system.now
        ).require()
        let approval = HospitalApproval(database: database, root: root)
        result.resolve(.success(try await set(isApproved, for: email, by: approval)))
      } catch {
        result.resolve(.failure(error))
      }
      database.close()
    }
    return try result.wait().get()
  }

  private static func set(
    _ isApproved: Bool, for email: EmailAddress, by approval: HospitalApproval
  ) async throws(StartError) -> Bool {
    do throws(ApplicationError) { return try await approval.set(isApproved, for: email) } catch {
      throw StartError(error.cause ?? "The database cannot be reached: is it running?")
    }
  }
}
