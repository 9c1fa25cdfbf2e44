// OperatorTool: the commands of `trackme`. It starts, supervises and replaces the processes of an
// installation, migrates its databases, and administers its keys, certificates, documents and
// hospitals.
import Installation

extension Commands {
  /// The commands of the operator's tool, in the order of its help.
  package static var trackme: Commands {
    Commands(
      of: "trackme",
      [
        Command(
          name: "run", summary: "run the whole system in the foreground; Ctrl-C stops it",
          run: RunCommand.run),
        Command(name: "start", summary: "run it in the background", run: StartCommand.run),
        Command(
          name: "stop", summary: "stop the system of this state directory",
          run: StopCommand.run),
        Command(
          name: "replace",
          summary: "replace the processes one by one, without a failed request (replace NAME …)",
          usage: ReplaceCommand.usage, run: ReplaceCommand.run),
        Command(name: "status", summary: "show processes and addresses", run: StatusCommand.run),
        Command(
          name: "migrate", summary: "migrate the databases of an external server",
          usage: MigrateCommand.usage, run: MigrateCommand.run),
        Command(
          name: "audit", summary: "verify the record of accesses to personal data (audit verify)",
          usage: AuditCommand.usage, run: AuditCommand.run),
        Command(
          name: "documents",
          summary: "publish a policy that registrations must consent to (documents publish …)",
          usage: DocumentsCommand.usage, run: DocumentsCommand.run),
        Command(
          name: "hospitals",
          summary: "approve a third party as a hospital, or revoke it (hospitals approve …)",
          usage: HospitalsCommand.usage, run: HospitalsCommand.run),
        Command(
          name: "keys",
          summary: "replace a key while the system runs (keys rotate master, keys rotate root)",
          usage: KeysCommand.usage, run: KeysCommand.run),
        Command(
          name: "authority",
          summary: "sign and renew the certificates between services (authority create)",
          usage: AuthorityCommand.usage, run: AuthorityCommand.run),
        Command(
          name: "settings", summary: "print settings and their sources (--table: all of them)",
          usage: SettingsCommand.usage, run: SettingsCommand.run),
      ])
  }
}
