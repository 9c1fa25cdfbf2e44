import Domain
import HTTP
import Postgres
import Services

/// Changes of day values, gathered by column. Whoever writes them holds the rows of the parts that
/// the blocks belong to.
package struct DayColumnChanges: Sendable {
  private var codes: [DayColumnKey: [Int: UInt16]] = [:]

  /// Nothing changes.
  package init() {}

  /// Sets a person's code of a day; 0 takes it away.
  package mutating func set(_ type: DataType, _ day: Int32, of member: Int32, to code: UInt16) {
    let place = DayPlace(member: member)
    codes[DayColumnKey(type: type, day: day, block: place.block), default: [:]][place.place] =
      code
  }

  /// Writes the columns that change, two round trips whatever their number.
  ///
  /// - Throws: 503 if the database is away.
  package func write(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    guard !codes.isEmpty else { return }
    var stored: [DayColumnKey: DayColumn] = [:]
    let rows = try await transaction.run(StoredColumns(Array(codes.keys)))
    for row in rows {
      stored[DayColumnKey(type: row.type, day: row.day, block: row.block)] =
        DayColumn(bytes: row.values)
    }
    var store = StoreColumns()
    for (key, changes) in codes {
      var column = stored[key] ?? DayColumn()
      let before = column
      for (place, code) in changes { column[place] = code }
      if column != before { store.append(key, column) }
    }
    if !store.isEmpty { try await transaction.run(store) }
  }
}
