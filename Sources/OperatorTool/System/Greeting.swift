import Installation
import Operations

/// The operator's message when the system is ready: addresses, demo logins and the next steps.
struct Greeting {
  let lines: [String]

  init(_ installation: Installation, _ plan: ServicePlan) throws(StartError) {
    let http = try installation.value(SettingTable.httpPort)
    let https = try installation.value(SettingTable.httpsPort)
    var lines = [
      "",
      "TrackMe is ready. Open in a browser, which asks about the copy's own certificate:",
      "  https://localhost:\(https)/",
      "For programs:",
      "  https://localhost:\(https)   the API, HTTP/1.1 and HTTP/2",
      "  http://localhost:\(http)    the same over plain HTTP, this machine only",
      "  http://localhost:\(http)/docs   the API documentation",
    ]
    for member in plan.members.reversed() {
      lines.append("  http://127.0.0.1:\(member.metricsPort)/metrics   metrics of \(member.name)")
    }
    if let broker = try LocalBroker.ifNeeded(by: installation) {
      lines.append(
        "  \(broker.url)    test payments, without charges; POST /req/tp/pay returns the pages")
    }
    let logins = DemoLogin.read(installation.state)
    for login in logins {
      lines.append("  demo login: \(login.email)  \(login.password)  (\(login.kind))")
    }
    lines += Self.nextSteps(logins, http: http, https: https)
    let lab = Lab(installation)
    if !logins.isEmpty, lab.isPresent {
      lines.append("To watch a run of simulated people, start this in another terminal:")
      lines.append(
        "  '\(lab.executable)' simulate run --state '\(installation.state.path)' "
          + "--http-port \(http)")
    }
    lines.append("Logs and mail are in \(installation.state.path).")
    if let notice = try Databases(installation).cluster?.directory.notice { lines.append(notice) }
    self.lines = lines
  }

  /// A step in a browser and one in a terminal, each with something to see: the person answers the
  /// demo request, and the company, in a session of its own, sees the answer.
  private static func nextSteps(_ logins: [DemoLogin], http: UInt16, https: UInt16) -> [String] {
    guard let person = logins.first(where: { $0.kind == DemoLogin.singleUser }),
      let company = logins.first(where: { $0.kind == DemoLogin.thirdParty })
    else {
      return [
        "Next, create an account in a browser:", "  https://localhost:\(https)/app/signup",
      ]
    }
    let body = """
      {"email":"\(company.email)","password":"\(company.password)","replace":true}
      """
    return [
      "Next, log in as \(person.email) in a browser, and answer the company's request:",
      "  https://localhost:\(https)/app/followers",
      "In another terminal, the company logs in and sees the answer:",
      "  TOKEN=$(curl -sS http://localhost:\(http)/auth/login -H 'Content-Type: application/json' "
        + "-d '\(body)' | sed -n 's/.*\"authToken\":\"\\([^\"]*\\).*/\\1/p')",
      "  curl -sS http://localhost:\(http)/req/tp/list -H \"Authorization: Bearer $TOKEN\"; echo",
    ]
  }
}
