/// Settings that the supervisor passes to the processes it starts; a container configuration sets
/// them itself.
extension SettingTable {
  private static let services: [ProcessKind] = [.gateway, .data4help, .track4run]

  /// The process's own name.
  package static let processName = Setting<String>(
    "TRACKME_PROCESS", .name, default: .none(note: "the program's name"), readBy: services,
    "name of this process in logs, as data4help-1")
  /// The address a service listens on.
  package static let listen = Setting<ServiceAddress>(
    "TRACKME_LISTEN", .serviceAddress, default: .none(note: "set by the supervisor"),
    readBy: [.data4help, .track4run],
    "address this service listens on, such as unix:/run/data4help-1.sock")
  /// The addresses of the data4help replicas.
  package static let data4helpAddresses = Setting<[ServiceAddress]>(
    "TRACKME_DATA4HELP_ADDRESSES", .serviceAddresses,
    default: .none(note: "set by the supervisor"), readBy: [.gateway, .track4run],
    "addresses of the data4help replicas")
  /// The addresses of the track4run replicas.
  package static let track4runAddresses = Setting<[ServiceAddress]>(
    "TRACKME_TRACK4RUN_ADDRESSES", .serviceAddresses,
    default: .none(note: "set by the supervisor"), readBy: [.gateway, .data4help],
    "addresses of the track4run replicas")
  /// The key that wraps the account keys.
  package static let masterKeyPath = Setting<String>(
    "TRACKME_MASTER_KEY_FILE", .path, default: stateFile("keys/master.key"),
    readBy: [.data4help, .trackme], "file of the key that wraps the account keys")
  /// The secret that all processes of the installation share.
  package static let rootSecretPath = Setting<String>(
    "TRACKME_ROOT_SECRET_FILE", .path, default: stateFile("keys/root.secret"),
    readBy: ProcessKind.allCases, "file of the secret behind tokens and blind indexes")
  /// The key that identifies the installation to push services.
  package static let pushKeyPath = Setting<String>(
    "TRACKME_PUSH_KEY_FILE", .path, default: stateFile("keys/push.key"),
    readBy: [.data4help, .trackme], "file of the key that push services know")
  /// The certificates of connections between services on several machines (OPS-3).
  package static let innerTLS = Setting<String>(
    "TRACKME_INNER_TLS", .path, default: .none(note: "none: plain, on this machine only"),
    readBy: services,
    "directory of `authority.pem`, `certificate.pem` and `key.pem` for TLS between services")
  /// The private authority of the installation (OPS-3).
  package static let authority = Setting<String>(
    "TRACKME_AUTHORITY", .path, default: stateFile("authority"), readBy: [.trackme],
    "directory of the authority that signs the certificates between services")
  /// The number of event loops of a process.
  package static let loops = Setting<Int>(
    "TRACKME_LOOPS", .count(0...256), default: .text("0"), readBy: services,
    "event loops of a process; 0 is one per core, divided among the replicas")
  /// The lowest level that is logged.
  package static let logLevel = Setting<String>(
    "TRACKME_LOG_LEVEL", .choice("debug", "info", "warning", "error"), default: .text("info"),
    readBy: ProcessKind.allCases, "lowest level that is logged")
  /// Time limit for stopping.
  package static let stopWithin = Setting<Duration>(
    "TRACKME_STOP_WITHIN", .seconds(0...3600), default: .text("10"), readBy: ProcessKind.allCases,
    "seconds a stopping process may use to finish its work")

  static let innerSettings = [
    processName.definition, listen.definition, data4helpAddresses.definition,
    track4runAddresses.definition, masterKeyPath.definition, rootSecretPath.definition,
    pushKeyPath.definition, innerTLS.definition, authority.definition,
    loops.definition, logLevel.definition, stopWithin.definition,
  ]
}
