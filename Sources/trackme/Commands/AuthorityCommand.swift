import EventLoop
import Installation
import Operations
import Time

/// `trackme authority`: the private authority of the connections between services (OPS-3). Its
/// directory belongs on a machine that runs no service.
enum AuthorityCommand {
  static let usage = """
    usage: trackme authority create
           trackme authority issue NAME …    gateway, data4help, track4run, or SERVER=HOST,…
           trackme authority renew           certificates with less than ten days left
           trackme authority rotate          the next of three steps to another authority
    """

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      let path = try installation.value(SettingTable.authority)
      let now = Environment.system.now().microsecondsSince1970 / 1_000_000
      let directory = AuthorityDirectory(path: path, now: now)
      switch (operands.first, operands.dropFirst()) {
      case ("create", []): try create(directory)
      case ("issue", let names) where !names.isEmpty:
        var holders: [CertificateHolder] = []
        for name in names { holders.append(try CertificateHolder(name)) }
        try lock(path)
        for path in try directory.issue(holders) { Terminal.say(path) }
      case ("renew", []):
        try lock(path)
        let renewed = try directory.renew()
        Terminal.say(renewed.isEmpty ? "No certificate needs renewal." : "Renewed:")
        for name in renewed { Terminal.say("\(path)/\(name)") }
      case ("rotate", []):
        try lock(path)
        Terminal.say(text(of: try directory.rotate()))
      default: throw StartError(usage)
      }
    }
  }

  private static func create(_ directory: AuthorityDirectory) throws(StartError) {
    do throws(SystemError) { try FileSystem.makeDirectories(directory.path) } catch {
      throw StartError("The directory \(directory.path) can't be created", error)
    }
    try lock(directory.path)
    try directory.create()
    Terminal.say("The authority is in \(directory.path). Keep signing.key there: it is secret.")
  }

  private static func text(of step: AuthorityDirectory.RotationStep) -> String {
    switch step {
    case .prepared:
      "1 of 3: another authority is prepared. Pass authority.pem on, then call this again."
    case .replaced:
      "2 of 3: it signs all certificates. Pass them on, then call this again."
    case .ended: "3 of 3: the former authority has ended. Pass authority.pem on."
    }
  }

  /// Prevents two commands on the same files; the lock ends with the process.
  private static func lock(_ path: String) throws(StartError) {
    guard FileSystem.exists(path) else {
      throw StartError("\(path) has no authority: `trackme authority create` makes it.")
    }
    let holder: Int32
    do throws(SystemError) {
      let attempt = try InstanceLock.take(StateDirectory(path: path), "authority.pid")
      guard case .heldBy(let pid) = attempt else {
        if case .taken(let lock) = attempt { try lock.sign() }
        return
      }
      holder = pid
    } catch {
      throw StartError("The directory \(path) can't be locked", error)
    }
    throw StartError("Another command changes the authority, with the process number \(holder).")
  }
}
