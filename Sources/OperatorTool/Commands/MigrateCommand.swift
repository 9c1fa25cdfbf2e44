import Installation
import Operations

/// `trackme migrate`: migrates the databases of an external server. `--print-roles` prints the
/// script that a superuser must run once before. Keys are created before an empty server is
/// migrated, and the templates of documents published afterwards. The embedded database is migrated
/// at each start.
enum MigrateCommand {
  static let usage = """
    usage: trackme migrate
           trackme migrate --print-roles   the script that a superuser runs once before
    """

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: ["--print-roles"])
      try Commands.refuse(operands.filter { $0 != "--print-roles" })
      try installation.prepareState()
      let databases = try Databases(installation)
      if operands.contains("--print-roles") {
        Terminal.say(try databases.superuserScript())
        return
      }
      if databases.cluster != nil, try StatusCommand.holder(installation) == nil {
        throw StartError("The embedded database is migrated at each start: `trackme run`.")
      }
      let migrations = try Migrations(databases, programs: installation.programs)
      try installation.prepareKeys(hasDatabase: try databases.holdData(migrations))
      let applied = try migrations.run()
      for name in applied { Terminal.say("applied \(name)") }
      Terminal.say(applied.isEmpty ? "Nothing to do." : "\(applied.count) migrations were applied.")
      let templates = DocumentTemplates(installation, migrations: migrations.directory)
      let published = try templates.publish(in: databases.urls)
      if let notice = DocumentTemplates.notice(published) { Terminal.say(notice) }
    }
  }
}
