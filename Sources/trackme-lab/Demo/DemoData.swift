import EventLoop
import HTTP
import Installation
import Operations
import Time

/// Fills an empty installation with two accounts, sixty days of samples, a pending request and a
/// run next week. It uses the public API through the gateway, except for the code of the run.
/// Repeating it changes nothing. On one loop.
struct DemoData {
  private let gateway: LocalGateway

  init(_ installation: Installation, on loop: EventLoop) throws(StartError) {
    gateway = try LocalGateway(installation, on: loop, failure: "The demo data is incomplete")
  }

  /// Loads the part that goes through the gateway; `report` receives a line after each step.
  func load(_ report: (String) -> Void) async throws(StartError) {
    defer { gateway.shutDown() }
    let person = try await gateway.logIn(
      DemoAccounts.person, registering: DemoAccounts.personRegistration)
    report("the account of a person")
    let hospital = try await gateway.logIn(
      DemoAccounts.hospital, registering: DemoAccounts.hospitalRegistration)
    report("the account of a hospital")
    let samples = DemoSamples.make(until: Environment.system.now().flooredToMilliseconds)
    _ = try await gateway.insist(
      .post, "/data/upload", DemoJSON.upload(samples), token: person)
    report("\(samples.count) samples of \(DemoSamples.days) days")
    let request = DemoJSON.request(to: DemoAccounts.person.email)
    _ = try await gateway.insist(
      .post, "/req/tp/sendSingle", request, token: hospital, key: "demo-request")
    report("a request of the hospital to the person")
    for token in [person, hospital] {
      _ = try await gateway.insist(.post, "/auth/logout", token: token)
    }
  }
}
