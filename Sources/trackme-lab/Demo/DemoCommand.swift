import EventLoop
import Installation
import Operations
import Time

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
    let start = Environment.system.monotonicNow()
    try fill(installation, since: start)
    try DemoDatabase.publishRun(urls)
    report("a run next week", since: start)
    try write(Array(DemoAccounts.logins.utf8), to: done)
  }

  /// Loads the part that goes through the gateway.
  private static func fill(
    _ installation: Installation, since begun: MonotonicInstant
  ) throws(StartError) {
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "demo") } catch {
      throw StartError("The demo data cannot be loaded", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<Void, StartError>>()
    loop.begin {
      do throws(StartError) {
        let data = try DemoData(installation, on: loop)
        result.resolve(.success(try await data.load { report($0, since: begun) }))
      } catch {
        result.resolve(.failure(error))
      }
    }
    try result.wait().get()
  }

  private static func report(_ line: String, since begun: MonotonicInstant) {
    let seconds = (Environment.system.monotonicNow() - begun).components.seconds
    Terminal.say("\(seconds) s: \(line)")
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(StartError) {
    do throws(SystemError) { try FileSystem.writeAtomically(path, bytes) } catch {
      throw StartError("The demo data is incomplete: \(path) cannot be written", error)
    }
  }
}
