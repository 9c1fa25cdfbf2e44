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

  /// Loads the part that goes through the gateway.
  func load() async throws(StartError) {
    defer { gateway.shutDown() }
    let person = try await gateway.logIn(
      DemoAccounts.person, registering: DemoAccounts.personRegistration)
    let hospital = try await gateway.logIn(
      DemoAccounts.hospital, registering: DemoAccounts.hospitalRegistration)
    let samples = DemoSamples.make(until: Environment.system.now().flooredToMilliseconds)
    _ = try await gateway.insist(
      .post, "/data/upload", DemoJSON.upload(samples), token: person)
    let request = DemoJSON.request(to: DemoAccounts.person.email)
    _ = try await gateway.insist(
      .post, "/req/tp/sendSingle", request, token: hospital, key: "demo-request")
    for token in [person, hospital] {
      _ = try await gateway.insist(.post, "/auth/logout", token: token)
    }
  }
}
