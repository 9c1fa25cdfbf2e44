import Postgres
import Requirements
import Testing

/// A machine with batches of named commands sent, each command with its own statement.
private func sent(_ batches: [String]...) -> PipelineStateMachine<String> {
  var machine = PipelineStateMachine<String>()
  for batch in batches {
    for command in batch { _ = machine.append(command, of: command.hashValue) }
    machine.seal()
  }
  return machine
}

/// Passes messages to the machine and returns the settled commands as `name: settlement`.
private func settled(
  _ machine: inout PipelineStateMachine<String>,
  _ arrivals: [PipelineStateMachine<String>.Received]
) -> [String] {
  var all: [String] = []
  for arrival in arrivals {
    switch machine.received(arrival) {
    case .settle(let settlements):
      for (command, settlement) in settlements {
        let kind = "\(settlement)".prefix { $0 != "(" }
        all.append("\(command): \(kind)")
      }
    case .close: all.append("give up")
    case .nothing, .take: break
    }
  }
  return all
}

private let wrong = ServerError(sqlState: "22012")

@Suite("the pipeline") struct PipelineStateMachineTests {
  @Test("a statement is prepared before its first execution only")
  func preparesOnce() {
    var machine = PipelineStateMachine<String>()
    let isNew = [
      machine.append("a", of: 1), machine.append("b", of: 1), machine.append("c", of: 2),
    ]
    #expect(isNew == [true, false, true])
  }

  @Test("commands are settled in order, when the Sync of their batch is answered and not before")
  func settlesAtSync() {
    var machine = sent(["a", "b"])
    let done: [PipelineStateMachine<String>.Received] = [
      .rows, .endOfCommand, .rows, .endOfCommand,
    ]
    #expect(settled(&machine, done + done) == [])
    #expect(settled(&machine, [.sync]) == ["a: done", "b: done"])
    #expect(machine.isIdle)
  }

  @Test("after an error later commands were not started, and earlier ones are rolled back")
  func errorAborts() {
    var machine = sent(["a", "b", "c"], ["d"])
    let arrivals: [PipelineStateMachine<String>.Received] = [
      .rows, .endOfCommand, .rows, .endOfCommand, .rows, .endOfCommand, .failed(wrong),
      .endOfCommand, .aborted, .endOfCommand, .aborted, .endOfCommand, .sync,
    ]
    #expect(settled(&machine, arrivals) == ["a: rolledBack", "b: failed", "c: aborted"])
    #expect(machine.current == "d")
    #expect(machine.unsettled == ["d"])
  }

  @Test("a command whose own preparation failed has failed, and is prepared again next time")
  func preparationFails() {
    var machine = sent(["a", "b"])
    let arrivals: [PipelineStateMachine<String>.Received] = [
      .failed(wrong), .endOfCommand, .aborted, .endOfCommand, .aborted, .endOfCommand, .aborted,
      .endOfCommand, .sync,
    ]
    #expect(settled(&machine, arrivals) == ["a: failed", "b: aborted"])
    let isNew = [machine.append("a", of: "a".hashValue), machine.append("b", of: "b".hashValue)]
    #expect(isNew == [true, true])
  }

  @Test("an error of the commit itself is an error of every command of the batch")
  func commitFails() {
    var machine = sent(["a"])
    let arrivals: [PipelineStateMachine<String>.Received] = [
      .rows, .endOfCommand, .rows, .endOfCommand, .failed(wrong), .endOfCommand, .sync,
    ]
    #expect(settled(&machine, arrivals) == ["a: failed"])
  }

  @Test("a connection with too many or too few answers is closed")
  func nonsense() {
    var machine = sent(["a"])
    #expect(settled(&machine, [.sync]) == ["give up"])
    machine = sent(["a"])
    #expect(settled(&machine, [.endOfCommand]) == ["give up"])
    machine = PipelineStateMachine()
    #expect(settled(&machine, [.rows]) == ["give up"])
    machine = sent(["a"])
    #expect(settled(&machine, [.unexpected]) == ["give up"])
  }

  @Test("all unsettled commands are lost with the connection, in order")
  func unsettled() {
    var machine = sent(["a", "b"], ["c"])
    _ = machine.append("d", of: 9)
    #expect(machine.unsettled == ["a", "b", "c", "d"])
  }

  @Test("many batches are settled one by one")
  func manyBatches() {
    var machine = PipelineStateMachine<Int>()
    for number in 0..<500 {
      _ = machine.append(number, of: 1)
      machine.seal()
    }
    _ = machine.received(.rows)
    _ = machine.received(.endOfCommand)
    for number in 0..<500 {
      #expect(machine.current == number)
      _ = machine.received(.rows)
      _ = machine.received(.endOfCommand)
      _ = machine.received(.sync)
    }
    #expect(machine.isIdle)
  }
}
