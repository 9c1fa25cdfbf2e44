import EventLoop
import Operations

extension Supervisor {
  /// Loads demo data into a new installation if the settings ask for it. A failure is reported and
  /// does not stop the start.
  func loadDemoData(on loop: EventLoop) async throws(StartError) {
    let state = installation.state
    let isDone = FileSystem.exists(state.file(DemoLogin.fileName))
    guard try installation.value(SettingTable.demo), !isDone else { return }
    let begun = state.file("demo-begun")
    let databases = databases
    let hasBegun = FileSystem.exists(begun)
    if !hasBegun {
      let hasAccounts = try await blocking { () throws(StartError) in
        try DemoDatabase.hasAccounts(databases)
      }
      if hasAccounts { return }
    }
    if try installation.optional(SettingTable.smtpURL) != nil {
      Terminal.say("Demo data is skipped, because its mails would go to a mail server.")
      return
    }
    Terminal.say("Loading demo data.")
    do throws(StartError) {
      try write([], to: begun)
      try await DemoData(installation, on: loop).load()
      try await blocking { () throws(StartError) in try DemoDatabase.publishRun(databases) }
      try write(Array(DemoAccounts.logins.utf8), to: state.file(DemoLogin.fileName))
    } catch {
      Terminal.say(error.description)
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(StartError) {
    do throws(SystemError) { try FileSystem.writeAtomically(path, bytes) } catch {
      throw StartError("The demo data is incomplete: \(path) cannot be written", error)
    }
  }
}
