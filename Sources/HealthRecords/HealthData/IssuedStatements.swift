import Domain
import Postgres
import Time

/// A statement as an endpoint sends it, with its parameters in PostgreSQL's text form: for
/// benchmarks that run the same statement outside the service.
package struct IssuedStatement: Sendable {
  /// The name of its type.
  package let name: String
  /// The text, with `$1`, `$2`, … for the parameters.
  package let text: String
  /// The parameters, in the order of their numbers.
  package let values: [String]
}

extension HealthDataStatements {
  /// The statements of `GET /data/stats` without a period, once the account's key is in memory.
  package static func ofStatistics(_ account: AccountID) -> [IssuedStatement] {
    let chunks = ChunksOfPeriod(
      account: account, types: DataType.allCases.filter(\.isNumeric),
      period: StoredPeriod(SamplePeriod(from: .firstWritable, to: nil), zone: .utc))
    let types = chunks.types.map { "\($0.rawValue)" }.joined(separator: ",")
    return [
      IssuedStatement(
        name: ChunksOfPeriod.name, text: ChunksOfPeriod.sql.text,
        values: [
          "\(account.rawValue)", "{\(types)}", "\(chunks.period.firstDay)",
          "\(chunks.period.lastDay)", "\(chunks.period.from)", "\(chunks.period.to)",
        ])
    ]
  }
}
