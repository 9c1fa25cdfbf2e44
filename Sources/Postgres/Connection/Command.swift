import Time

/// One execution of one statement, from sending to its result, independent of the statement's
/// types.
///
/// Confined to its loop. The connection binds and sends it and passes it the result; its sender
/// settles it.
class Command {
  /// The time at which its caller stops waiting.
  let deadline: MonotonicInstant
  /// Whether its caller has stopped waiting.
  private(set) var isAbandoned = false
  /// The error in reading the result, if any.
  fileprivate(set) var failure: PostgresError?
  /// How often it was sent without receiving a result.
  var attempts = 0
  /// The time at which the server was asked to cancel it.
  var cancelledAt: MonotonicInstant?
  /// Resumes the caller, once.
  private var onSettled: ((PostgresError?) -> Void)?

  init(deadline: MonotonicInstant) { self.deadline = deadline }

  /// The key of the statement in a connection's table of prepared statements.
  var key: ObjectIdentifier { ObjectIdentifier(Self.self) }
  /// The name in logs.
  var name: String { "" }
  /// Text and parameter types for preparing the statement.
  var preparation: (text: String, types: [UInt32]) { ("", []) }
  /// Appends the parameters.
  func bind(into parameters: inout Parameters) {}
  /// Decodes the rows of a result.
  func take(_ result: borrowing QueryResult) {}

  /// Waits until the command is settled; throws its error.
  func settled(sending send: () -> Void) async throws(PostgresError) {
    // SAFETY: `settle` and `abandon` resume the continuation, and only the first call does.
    let error = await unsafe withUnsafeContinuation {
      (continuation: UnsafeContinuation<PostgresError?, Never>) in
      onSettled = { error in unsafe continuation.resume(returning: error) }
      send()
    }
    if let error { throw error }
  }

  /// Resumes the caller with success or an error.
  func settle(_ error: PostgresError?) {
    let completion = onSettled
    onSettled = nil
    completion?(error ?? failure)
  }

  /// Resumes the caller with this error and ignores a later result.
  func abandon(_ error: PostgresError) {
    isAbandoned = true
    settle(error)
  }
}

/// An execution of a statement and the rows it returned.
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
