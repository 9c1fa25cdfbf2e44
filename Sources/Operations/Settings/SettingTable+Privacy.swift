/// The documents that registrations consent to, and the periods until data is deleted (NFR-6).
extension SettingTable {
  /// The controller whom the templates of documents name.
  package static let operatorName = Setting<String>(
    "TRACKME_OPERATOR", .line(bytesMax: 300), default: .none(note: "none: a gap in brackets"),
    readBy: [.trackme], "name and address of the operator, in the templates of documents")
  /// Whether the templates of documents are published (ACC-2).
  package static let documents = Setting<String>(
    "TRACKME_DOCUMENTS", .choice("templates", "none"), default: .text("none"),
    readBy: [.trackme],
    "templates: texts that registrations consent to until you publish your own; none: no texts")
  /// How long ended sessions are kept.
  package static let keepSessions = Setting<Duration>(
    "TRACKME_KEEP_SESSIONS", .days(1...365), default: .text("7"),
    readBy: [.data4help, .trackme], "days until an ended session is deleted")
  /// How long the reports of imports are kept.
  package static let keepImports = Setting<Duration>(
    "TRACKME_KEEP_IMPORTS", .days(1...365), default: .text("30"),
    readBy: [.data4help, .trackme], "days until the report of an import is deleted")
  /// How long calls of callbacks are listed.
  package static let keepCalls = Setting<Duration>(
    "TRACKME_KEEP_CALLS", .days(1...365), default: .text("30"),
    readBy: [.data4help, .trackme], "days until a callback leaves the list of calls")
  /// How long invited addresses are remembered (RUN-10).
  package static let keepInvitations = Setting<Duration>(
    "TRACKME_KEEP_INVITATIONS", .days(1...1000), default: .text("400"),
    readBy: [.track4run, .trackme],
    "days until an address may be invited to the same run again, and its hash is deleted")

  static let privacySettings = [
    operatorName.definition, documents.definition, keepSessions.definition,
    keepImports.definition, keepCalls.definition, keepInvitations.definition,
  ]
}
