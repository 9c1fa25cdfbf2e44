import EventLoop
import Operations
import Postgres
import Time

/// The writing transactions of a database that began before every process used a new secret.
///
/// A row that one of them has written under the former secret is not visible until it commits. That
/// takes long while a synchronous standby is lost: a search for such rows would miss it.
struct OpenTransactions {
  /// The pause between two looks at the transactions.
  private static let pause = Duration.milliseconds(200)

  let database: Database
  let loop: EventLoop
  /// The longest waiting.
  let waitMax: Duration
  let say: @Sendable (String) -> Void

  /// Waits until every transaction has ended that begins within `delay`, the longest time from the
  /// sealing of a value until its transaction begins.
  ///
  /// - Throws: `StartError` after `waitMax`, if the work is cancelled or the database fails.
  func waitForEnd(after delay: Duration) async throws(StartError) {
    try await rest(delay)
    let end = loop.now + waitMax
    let number = try await number()
    var isSaid = false
    while try await !haveEnded(number) {
      if !isSaid { say("Waiting for transactions that began under the former root secret.") }
      isSaid = true
      guard loop.now < end else {
        throw StartError(
          "A transaction in the database has been open for too long: pg_stat_activity shows it. "
            + "End it, and run the command again: it continues.")
      }
      try await rest(Self.pause)
    }
  }

  private func number() async throws(StartError) -> Int64 {
    do throws(PostgresError) {
      guard let number = try await database.write(TransactionNumber()).first else {
        throw .unexpectedResult("the server names no transaction")
      }
      return number
    } catch {
      throw .rotation(error)
    }
  }

  private func haveEnded(_ number: Int64) async throws(StartError) -> Bool {
    do throws(PostgresError) {
      let statement = HaveTransactionsEnded(number: number)
      guard let hasEnded = try await database.readOne(statement, within: .seconds(10)) else {
        throw .unexpectedResult("the server does not compare transactions")
      }
      return hasEnded
    } catch {
      throw .rotation(error)
    }
  }

  private func rest(_ pause: Duration) async throws(StartError) {
    do throws(CancellationError) { try await loop.wait(for: pause) } catch {
      throw StartError("The rotation was interrupted; run the command again.")
    }
  }
}
