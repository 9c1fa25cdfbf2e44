import Installation
import Operations

/// The operator's message when the system is ready: addresses, demo logins and an example command.
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
    lines.append("Try:")
    if let login = logins.first {
      lines.append(
        "  curl -s http://localhost:\(http)/auth/login -H 'Content-Type: application/json' "
          + "-d '{\"email\":\"\(login.email)\",\"password\":\"\(login.password)\","
          + "\"replace\":true}'"
      )
    } else {
      lines.append("  curl -s http://localhost:\(http)/t4r/active/list")
    }
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
}
