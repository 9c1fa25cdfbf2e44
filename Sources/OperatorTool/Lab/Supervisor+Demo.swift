import EventLoop
import Installation
import Operations

extension Supervisor {
  /// Has the lab load demo data into a new installation if the settings ask for it. A failure is
  /// reported and does not stop the start.
  func loadDemoData() async throws(StartError) {
    let isDone = FileSystem.exists(installation.state.file(DemoLogin.fileName))
    guard try installation.value(SettingTable.demo), !isDone else { return }
    let lab = Lab(installation)
    guard lab.isPresent else {
      Terminal.say("No demo data is loaded: \(lab.missing). TRACKME_DEMO=0 asks for none.")
      return
    }
    let order = lab.order("demo")
    try await blocking { () throws(StartError) in
      do throws(SystemError) {
        // With an exit code, the lab has printed the reason.
        let status = try Tool.show(order)
        if case .signal = status { Terminal.say("Loading demo data \(status).") }
      } catch {
        Terminal.say("No demo data is loaded: \(error.description).")
      }
    }
  }
}
