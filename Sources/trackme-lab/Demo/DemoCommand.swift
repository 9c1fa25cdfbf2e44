import EventLoop
import Installation
import Operations

/// `trackme-lab demo`: loads demo data into a running installation without accounts; `trackme run`
/// starts it. If it was interrupted, repeating it completes the data.
enum DemoCommand {
  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      try Commands.refuse(operands)
      try load(installation)
    }
  }

  private static func load(_ installation: Installation) throws(StartError) {
    let state = installation.state
    let done = state.file(DemoLogin.fileName)
    let begun = state.file("demo-begun")
    guard !FileSystem.exists(done) else { return }
    let urls = try DatabaseURLs(installation)
    if !FileSystem.exists(begun), try DemoDatabase.hasAccounts(urls) { return }
    if try installation.optional(SettingTable.smtpURL) != nil {
      Terminal.say("Demo data is skipped, because its mails would go to a mail server.")
      return
    }
    Terminal.say("Loading demo data.")
    try write([], to: begun)
    try fill(installation)
    try DemoDatabase.publishRun(urls)
    try write(Array(DemoAccounts.logins.utf8), to: done)
  }

  /// Loads the part that goes through the gateway.
  private static func fill(_ installation: Installation) throws(StartError) {
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "demo") } catch {
      throw StartError("The demo data cannot be loaded", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<Void, StartError>>()
    loop.begin {
      do throws(StartError) {
        result.resolve(.success(try await DemoData(installation, on: loop).load()))
      } catch {
        result.resolve(.failure(error))
      }
    }
    try result.wait().get()
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(StartError) {
    do throws(SystemError) { try FileSystem.writeAtomically(path, bytes) } catch {
      throw StartError("The demo data is incomplete: \(path) cannot be written", error)
    }
  }
}
