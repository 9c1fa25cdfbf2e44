extension SettingTable {
  // MARK: Databases

  /// The database of the services.
  package static let databaseURL = Setting<Secret>(
    "TRACKME_DATABASE_URL", .secretURL("postgres", "postgresql"),
    default: .none(note: "embedded"), secrecy: .urlPassword, readBy: ProcessKind.allCases,
    "any PostgreSQL 15 or later with PostGIS 3")
  /// The database of the account keys.
  package static let keysDatabaseURL = Setting<Secret>(
    "TRACKME_KEYS_DATABASE_URL", .secretURL("postgres", "postgresql"),
    default: .none(note: "embedded"), secrecy: .urlPassword,
    readBy: [.data4help, .trackme],
    "database of the account keys, best on a separate cluster")
  /// Whether demo data is loaded.
  package static let demo = Setting<Bool>(
    "TRACKME_DEMO", .onOff, default: .text("1"), readBy: [.trackme], "load demo data")

  static let databaseSettings = [
    databaseURL.definition, keysDatabaseURL.definition, demo.definition,
  ]

  // MARK: Mail

  /// The mail server.
  package static let smtpURL = Setting<Secret>(
    "TRACKME_SMTP_URL", .secretURL("smtp", "smtps"),
    default: .none(note: "none: mail is written to $TRACKME_STATE/mail/*.eml"),
    secrecy: .urlPassword, readBy: [.data4help, .track4run, .trackme],
    "mail server, in the form smtp(s)://user:password@host:port")

  static let mailSettings = [smtpURL.definition]

  // MARK: Processes

  /// Number of data4help processes.
  package static let data4helpReplicas = Setting<Int>(
    "TRACKME_DATA4HELP_REPLICAS", .count(1...64), default: .text("2"), readBy: [.trackme],
    "processes of data4help started")
  /// Number of track4run processes.
  package static let track4runReplicas = Setting<Int>(
    "TRACKME_TRACK4RUN_REPLICAS", .count(1...64), default: .text("1"), readBy: [.trackme],
    "processes of track4run started")

  static let replicaSettings = [data4helpReplicas.definition, track4runReplicas.definition]
}
