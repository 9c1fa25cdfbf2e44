/// What was sent on a connection and is not answered yet, in order.
///
/// Commands are sent in batches that end with a Sync. The server answers each in turn; an error
/// makes it skip the rest of the batch. A batch is settled when its Sync is answered: only then has
/// the server committed what it did (manual, chapter 34.5 "Pipeline Mode"). The machine does no
/// I/O: the connection tells it what it sent and received, and does what it answers.
package struct PipelineStateMachine<Command> {
  /// A statement, by the number under which the connection prepares it.
  package typealias StatementNumber = Int

  /// What became of a command of a settled batch.
  package enum Settlement: Equatable {
    /// The server did it, and the batch is committed.
    case done
    /// The server refused it, or could not commit it.
    case failed(ServerError)
    /// The server did not begin it, because another command of the batch failed before.
    case aborted
    /// The server did it and took it back, because a later command of the batch failed.
    case rolledBack
  }

  /// What the connection is to do after something arrived.
  package enum Action {
    case nothing
    /// The result in hand holds the rows of this command.
    case take(Command)
    /// This batch is over.
    case settle([(command: Command, settlement: Settlement)])
    /// What arrived makes no sense: give the connection up.
    case giveUp
  }

  /// What arrived.
  package enum Received {
    /// The result of a command that succeeded.
    case rows
    /// An error.
    case failed(ServerError)
    /// The note that a command was skipped.
    case aborted
    /// The end of a command's results.
    case endOfCommand
    /// The answer to a Sync.
    case sync
    /// Something else.
    case unexpected
  }

  private struct Step {
    let statement: StatementNumber
    /// Nil for a preparation.
    let command: Command?
    var settlement: Settlement?
  }

  private struct Batch {
    var steps: [Step] = []
    var position = 0
    var failure: ServerError?
  }

  private enum Preparation { case sent, done }

  private var open = Batch()
  private var sent: [Batch] = []
  private var head = 0
  private var preparations: [StatementNumber: Preparation] = [:]

  /// A connection on which nothing was sent.
  package init() {}

  /// Whether everything sent was answered.
  package var isIdle: Bool { head == sent.count && open.steps.isEmpty }

  /// The command whose answer comes next, if the next answer is to a command.
  package var current: Command? {
    guard head < sent.count, sent[head].position < sent[head].steps.count else { return nil }
    return sent[head].steps[sent[head].position...].lazy.compactMap(\.command).first
  }

  /// All commands that are not settled, in order.
  package var unsettled: [Command] {
    (sent[head...] + [open]).flatMap { $0.steps.compactMap(\.command) }
  }

  /// Notes a command that is about to be sent; true if its statement must be prepared first.
  package mutating func append(_ command: Command, of statement: StatementNumber) -> Bool {
    let isNew = preparations[statement] == nil
    if isNew {
      preparations[statement] = .sent
      open.steps.append(Step(statement: statement, command: nil))
    }
    open.steps.append(Step(statement: statement, command: command))
    return isNew
  }

  /// Notes that the Sync of the batch is about to be sent.
  package mutating func seal() {
    sent.append(open)
    open = Batch()
  }

  /// Notes what arrived and says what to do with it.
  package mutating func received(_ received: Received) -> Action {
    guard head < sent.count else { return .giveUp }
    switch received {
    case .rows: return tookRows()
    case .failed(let error): return tookFailure(error)
    case .aborted: return tookAbort()
    case .endOfCommand: return endedCommand()
    case .sync: return synced()
    case .unexpected: return .giveUp
    }
  }

  private var hasCurrentStep: Bool { sent[head].position < sent[head].steps.count }

  private mutating func settleCurrent(_ settlement: Settlement) -> Action {
    guard hasCurrentStep else { return .giveUp }
    sent[head].steps[sent[head].position].settlement = settlement
    return .nothing
  }

  private mutating func tookRows() -> Action {
    guard hasCurrentStep else { return .giveUp }
    let step = sent[head].steps[sent[head].position]
    if let command = step.command {
      _ = settleCurrent(.done)
      return .take(command)
    }
    preparations[step.statement] = .done
    return settleCurrent(.done)
  }

  private mutating func tookFailure(_ error: ServerError) -> Action {
    sent[head].failure = sent[head].failure ?? error
    // An error after the last command belongs to the commit that the Sync made.
    guard hasCurrentStep else { return .nothing }
    let step = sent[head].steps[sent[head].position]
    if step.command == nil || error.sqlState == "26000" {
      // Not prepared: or an earlier batch took the preparation, on which this one relied, down.
      preparations[step.statement] = nil
    }
    return settleCurrent(.failed(error))
  }

  private mutating func tookAbort() -> Action {
    guard hasCurrentStep else { return .giveUp }
    let position = sent[head].position
    let step = sent[head].steps[position]
    if step.command == nil {
      preparations[step.statement] = nil
    } else if position > 0, sent[head].steps[position - 1].command == nil,
      case .failed(let error) = sent[head].steps[position - 1].settlement
    {
      // Its own preparation failed: that is its error.
      return settleCurrent(.failed(error))
    }
    return settleCurrent(.aborted)
  }

  private mutating func endedCommand() -> Action {
    // The error of a commit is followed by an end of its own.
    if hasCurrentStep {
      guard sent[head].steps[sent[head].position].settlement != nil else { return .giveUp }
      sent[head].position += 1
    }
    return .nothing
  }

  private mutating func synced() -> Action {
    guard !hasCurrentStep else { return .giveUp }
    let batch = sent[head]
    head += 1
    if head == sent.count || head > 64 {
      sent.removeFirst(head)
      head = 0
    }
    let commitFailed = batch.steps.allSatisfy { $0.settlement == .done }
    return .settle(
      batch.steps.compactMap { step in
        guard let command = step.command, var settlement = step.settlement else { return nil }
        if settlement == .done, let failure = batch.failure {
          settlement = commitFailed ? .failed(failure) : .rolledBack
        }
        return (command, settlement)
      })
  }
}
