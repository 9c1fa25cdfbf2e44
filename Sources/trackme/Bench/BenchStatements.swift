import Data4Help
import Domain

/// `trackme bench statements`: the statements that `GET /data/stats` issues, taken from the source
/// that issues them, as a script for pgbench with its variables.
enum BenchStatements {
  static func run(account text: String) -> Int32 {
    guard let number = Int64(text) else {
      Terminal.complain("\(text) is no account's number.")
      return 2
    }
    for statement in HealthDataStatements.ofStatistics(AccountID(rawValue: number)) {
      var sql = statement.text
      // From the last, so that $1 is not found in $12.
      for (index, value) in statement.values.enumerated().reversed() {
        sql = sql.replacing("$\(index + 1)", with: ":\(statement.name)\(index + 1)")
        Terminal.say("-D \(statement.name)\(index + 1)=\(value)")
      }
      Terminal.say("\(sql);")
    }
    return 0
  }
}
