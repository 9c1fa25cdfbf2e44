import Domain
import HealthRecords
import Installation

/// `trackme-lab bench statements`: writes the statements of `GET /data/stats` as a script for
/// pgbench with its variables. They come from the source that runs them.
enum BenchStatements {
  static func run(account text: String) -> Int32 {
    guard let number = Int64(text) else {
      Terminal.complain("\(text) is not an account number.")
      return 2
    }
    for statement in HealthDataStatements.ofStatistics(AccountID(rawValue: number)) {
      var sql = statement.text
      // Replaces the highest number first, because $1 is a prefix of $12.
      for (index, value) in statement.values.enumerated().reversed() {
        sql = sql.replacing("$\(index + 1)", with: ":\(statement.name)\(index + 1)")
        Terminal.say("-D \(statement.name)\(index + 1)=\(value)")
      }
      Terminal.say("\(sql);")
    }
    return 0
  }
}
