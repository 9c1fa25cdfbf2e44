import EventLoop
import Installation
import Operations
import Time

/// `trackme authority`: the private authority of the connections between services (OPS-3). Its
/// directory belongs on a machine that runs no service.
enum AuthorityCommand {
  static let usage = """
    usage: trackme authority create
           trackme authority issue NAME …   gateway, data4help, track4run, monitoring, SERVER=HOST,…
           trackme authority renew          certificates with less than ten days left
           trackme authority rotate         the next of three steps to another authority
    """

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      let directory = try directory(installation)
      let path = directory.path
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
      case ("rotate", []): try rotate(installation)
      default: throw StartError(usage)
      }
    }
  }

  /// Takes the next step to another authority.
  static func rotate(_ installation: Installation) throws(StartError) {
    let directory = try directory(installation)
    try lock(directory.path)
    Terminal.say(text(of: try directory.rotate()))
  }

  private static func directory(
    _ installation: Installation
  ) throws(StartError) -> AuthorityDirectory {
    AuthorityDirectory(
      path: try installation.value(SettingTable.authority),
      now: Environment.system.now().microsecondsSince1970 / 1_000_000)
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

  private static func lock(_ path: String) throws(StartError) {
    guard FileSystem.exists(path) else {
      throw StartError("\(path) has no authority: `trackme authority create` makes it.")
    }
    try InstanceLock.hold(StateDirectory(path: path), "authority.pid", of: "the authority")
  }
}
