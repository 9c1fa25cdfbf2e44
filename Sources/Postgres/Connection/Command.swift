import EventLoop

/// One execution of one statement on its way to the server and back, whatever its types.
///
/// It belongs to its loop. The connection binds and sends it and gives it its result; who sent it
/// settles it.
class Command {
  /// When its caller stops waiting.
  let deadline: MonotonicInstant
  /// Whether nobody waits for it any more.
  private(set) var isAbandoned = false
  /// Why the result could not be read, if it could not.
  fileprivate(set) var failure: PostgresError?
  /// How often it was sent and came back without an answer.
  var attempts = 0
  /// When the server was asked to cancel it.
  var cancelledAt: MonotonicInstant?
  /// Tells its caller, once.
  private var onSettled: ((PostgresError?) -> Void)?

  init(deadline: MonotonicInstant) { self.deadline = deadline }

  /// What stands for the statement in a connection's memory.
  var key: ObjectIdentifier { ObjectIdentifier(Self.self) }
  /// The name in logs.
  var name: String { "" }
  /// Text and parameter types, for preparing it.
  var preparation: (text: String, types: [UInt32]) { ("", []) }
  /// Appends the parameters.
  func bind(into parameters: inout Parameters) {}
  /// Takes the rows out of a result.
  func take(_ result: borrowing QueryResult) {}

  /// Waits until the command is settled; throws its error.
  func settled(sending send: () -> Void) async throws(PostgresError) {
    // SAFETY: `settle` and `abandon` resume the continuation, and only the first of them does.
    let error = await unsafe withUnsafeContinuation {
      (continuation: UnsafeContinuation<PostgresError?, Never>) in
      onSettled = { error in unsafe continuation.resume(returning: error) }
      send()
    }
    if let error { throw error }
  }

  /// Tells the caller that it was done, or what went wrong.
  func settle(_ error: PostgresError?) {
    let tell = onSettled
    onSettled = nil
    tell?(error ?? failure)
  }

  /// Tells the caller this error and drops whatever still comes.
  func abandon(_ error: PostgresError) {
    isAbandoned = true
    settle(error)
  }
}

/// The execution of a statement, and the rows it gave.
final class Execution<S: Statement>: Command {
  let statement: S
  private(set) var rows: [S.Row] = []

  init(_ statement: S, deadline: MonotonicInstant) {
    self.statement = statement
    super.init(deadline: deadline)
  }

  override var key: ObjectIdentifier { ObjectIdentifier(S.self) }
  override var name: String { S.name }
  override var preparation: (text: String, types: [UInt32]) {
    (S.sql.text, S.sql.parameterTypes.map(\.oid))
  }

  override func bind(into buffer: inout Parameters) {
    for parameter in S.sql.parameters { parameter.bind(statement, &buffer) }
  }

  override func take(_ result: borrowing QueryResult) {
    do throws(PostgresError) {
      rows = try result.rows(S.columns)
    } catch {
      failure = error
    }
  }
}
