import EventLoop
import HTTP
import Installation
import Operations

extension Supervisor {
  /// The socket on which the supervisor of an installation receives requests.
  static func controlPath(_ installation: Installation) -> String {
    "\(installation.runDirectory.services)/control.sock"
  }

  /// The first word of a request to replace processes, followed by their names or none for all.
  static let replaceWord = "replace"

  /// Executes the request of a command. On the loop.
  func execute(_ request: ControlRequest) {
    let this = LoopBound(self, on: loop)
    let bound = LoopBound(request, on: loop)
    loop.begin {
      do throws(StartError) {
        try await this.value.replace(bound.value)
        bound.value.end(nil)
      } catch {
        bound.value.end(error)
      }
    }
  }

  private func replace(_ request: ControlRequest) async throws(StartError) {
    guard request.words.first == Self.replaceWord else {
      throw StartError("This supervisor does not know the request: stop and start TrackMe.")
    }
    guard isStarted, let readiness, !isReplacing else {
      throw StartError("The system is starting or stopping, or another command replaces processes.")
    }
    isReplacing = true
    defer { isReplacing = false }
    let next = try NextSystem(after: installation, plan, arguments)
    for member in try next.members(named: Array(request.words.dropFirst())) {
      guard !request.isAbandoned else { return }
      guard isStarted else { throw StartError("\(member.name) is not replaced: the system stops.") }
      guard let process = processes.first(where: { $0.program.name == member.name }) else {
        throw StartError("\(member.name) does not run.")
      }
      let former = process.process ?? 0
      try await process.replace(by: try next.program(member), readiness)
      request.say("\(member.name) is replaced: process \(former), now \(process.process ?? 0)")
    }
  }
}

/// A running system with the programs on disk and the settings of now.
struct NextSystem {
  private let installation: Installation
  private let plan: ServicePlan
  private let databases: Databases

  /// Settings that only a new start changes: addresses that are handed over, and what the
  /// supervisor itself runs.
  private static let fixed: [SettingDefinition] = [
    SettingTable.httpPort.definition, SettingTable.httpsPort.definition,
    SettingTable.bind.definition, SettingTable.metricsPort.definition,
    SettingTable.data4helpReplicas.definition, SettingTable.track4runReplicas.definition,
    SettingTable.brokerPort.definition, SettingTable.loops.definition,
  ]

  /// Reads the settings again, by the arguments and the environment of the supervisor, and its file
  /// of settings.
  ///
  /// - Throws: `StartError` for a wrong setting, and for a change that needs a new start.
  init(
    after former: Installation, _ formerPlan: ServicePlan, _ arguments: [String]
  ) throws(StartError) {
    installation = try Installation.read(arguments, commandFlags: [RunCommand.reportFlag])
      .installation
    try Self.compare(try former.effective(), try installation.effective())
    plan = try ServicePlan(installation)
    databases = try Databases(installation)
    let wasEmbedded = try DatabaseURLs(former).areEmbedded
    let hadBroker = try LocalBroker.ifNeeded(by: former) != nil
    let hasBroker = try LocalBroker.ifNeeded(by: installation) != nil
    guard plan.members == formerPlan.members, databases.urls.areEmbedded == wasEmbedded,
      hasBroker == hadBroker
    else {
      throw StartError("A changed setting needs a new start: `trackme stop`, `trackme start`.")
    }
  }

  /// Refuses a change of a fixed setting.
  static func compare(
    _ former: [Settings.Effective], _ next: [Settings.Effective]
  ) throws(StartError) {
    for definition in fixed {
      let texts = [former, next].map { rows in rows.first { $0.name == definition.name }?.shown }
      guard texts[0] == texts[1] else {
        throw StartError(
          "\(definition.name) has changed: that needs a new start, `trackme stop` and "
            + "`trackme start`.")
      }
    }
  }

  /// The processes with these names in the order of a start; all without a name.
  ///
  /// - Throws: `StartError` for an unknown name.
  func members(named names: [String]) throws(StartError) -> [ServicePlan.Member] {
    try Self.check(names, among: plan.members.map(\.name))
    return plan.members.filter { names.isEmpty || names.contains($0.name) }
  }

  /// Refuses a name that is not among these.
  static func check(_ names: [String], among known: [String]) throws(StartError) {
    guard let name = names.first(where: { !known.contains($0) }) else { return }
    let shown = name.isEmpty ? "An empty name" : name
    let all = known.joined(separator: ", ")
    throw StartError("\(shown) is no process here that can be replaced: there are \(all).")
  }

  /// The program of a process.
  ///
  /// - Throws: `StartError` if its executable is missing.
  func program(_ member: ServicePlan.Member) throws(StartError) -> SupervisedProgram {
    try ServiceProgram.make(member, plan, installation, databases)
  }
}
