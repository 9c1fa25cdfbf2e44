/// The commands that have been sent on a connection and not answered yet, in order.
///
/// Commands are sent in batches that end with a Sync. The server answers them in order; after an
/// error it skips the rest of the batch. A batch is settled when its Sync is answered, because only
/// then has the server committed it (manual, chapter 34.5 "Pipeline Mode"). The machine does no
/// I/O: the connection reports what it sent and received, and performs the returned actions.
package struct PipelineStateMachine<Command> {
  /// A statement, identified by the number under which the connection prepares it.
  package typealias StatementNumber = Int

  /// The outcome of a command in a settled batch.
  package enum Settlement: Equatable {
    /// The server executed it and committed the batch.
    case done
    /// The server rejected it, or could not commit it.
    case failed(ServerError)
    /// The server did not start it, because an earlier command of the batch failed.
    case aborted
    /// The server executed it and rolled it back, because a later command of the batch failed.
    case rolledBack
  }

  /// The action for the connection after a message.
  package enum Action {
    case nothing
    /// The current result holds the rows of this command.
    case take(Command)
    /// This batch is settled.
    case settle([(command: Command, settlement: Settlement)])
    /// The message violates the protocol: close the connection.
    case close
  }

  /// A received message.
  package enum Received {
    /// The result of a command that succeeded.
    case rows
    /// An error.
    case failed(ServerError)
    /// The report that a command was skipped.
    case aborted
    /// The end of a command's results.
    case endOfCommand
    /// The answer to a Sync.
    case sync
    /// Anything else.
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

  /// Creates the state of a new connection.
  package init() {}

  /// Whether everything sent has been answered.
  package var isIdle: Bool { head == sent.count && open.steps.isEmpty }

  /// The command that the next answer belongs to, if it belongs to one.
  package var current: Command? {
    guard head < sent.count, sent[head].position < sent[head].steps.count else { return nil }
    return sent[head].steps[sent[head].position...].lazy.compactMap(\.command).first
  }

  /// All commands that are not settled, in order.
  package var unsettled: [Command] {
    (sent[head...] + [open]).flatMap { $0.steps.compactMap(\.command) }
  }

  /// Records a command that is about to be sent; true if its statement must be prepared first.
  package mutating func append(_ command: Command, of statement: StatementNumber) -> Bool {
    let isNew = preparations[statement] == nil
    if isNew {
      preparations[statement] = .sent
      open.steps.append(Step(statement: statement, command: nil))
    }
    open.steps.append(Step(statement: statement, command: command))
    return isNew
  }

  /// Records that the batch's Sync is about to be sent.
  package mutating func seal() {
    sent.append(open)
    open = Batch()
  }

  /// Handles a message and returns the action to perform.
  package mutating func received(_ received: Received) -> Action {
    guard head < sent.count else { return .close }
    switch received {
    case .rows: return tookRows()
    case .failed(let error): return tookFailure(error)
    case .aborted: return tookAbort()
    case .endOfCommand: return endedCommand()
    case .sync: return synced()
    case .unexpected: return .close
    }
  }

  private var hasCurrentStep: Bool { sent[head].position < sent[head].steps.count }

  private mutating func settleCurrent(_ settlement: Settlement) -> Action {
    guard hasCurrentStep else { return .close }
    sent[head].steps[sent[head].position].settlement = settlement
    return .nothing
  }

  private mutating func tookRows() -> Action {
    guard hasCurrentStep else { return .close }
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
    // An error after the last command belongs to the commit at the Sync.
    guard hasCurrentStep else { return .nothing }
    let step = sent[head].steps[sent[head].position]
    if step.command == nil || error.sqlState == "26000" {
      // Not prepared, either because this preparation failed, or because an earlier batch that
      // contained it was rolled back.
      preparations[step.statement] = nil
    }
    return settleCurrent(.failed(error))
  }

  private mutating func tookAbort() -> Action {
    guard hasCurrentStep else { return .close }
    let position = sent[head].position
    let step = sent[head].steps[position]
    if step.command == nil {
      preparations[step.statement] = nil
    } else if position > 0, sent[head].steps[position - 1].command == nil,
      case .failed(let error) = sent[head].steps[position - 1].settlement
    {
      // Its own preparation failed, so that error is the command's error.
      return settleCurrent(.failed(error))
    }
    return settleCurrent(.aborted)
  }

  private mutating func endedCommand() -> Action {
    // The error of a commit has its own end-of-command message.
    if hasCurrentStep {
      guard sent[head].steps[sent[head].position].settlement != nil else { return .close }
      sent[head].position += 1
    }
    return .nothing
  }

  private mutating func synced() -> Action {
    guard !hasCurrentStep else { return .close }
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
