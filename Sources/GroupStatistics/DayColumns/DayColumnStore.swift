import Domain
import Postgres
import ServiceKit

/// Changes of day values, collected by column. The writing transaction holds the rows of the parts
/// that the blocks belong to.
package struct DayColumnChanges: Sendable {
  private var codes: [DayColumnKey: [Int: UInt16]] = [:]

  /// An empty set of changes.
  package init() {}

  /// Sets the code of a person's day; 0 removes it.
  package mutating func set(_ type: DataType, _ day: Int32, of member: Int32, to code: UInt16) {
    let position = ColumnPosition(member: member)
    codes[DayColumnKey(type: type, day: day, block: position.block), default: [:]][position.index] =
      code
  }

  /// Writes the changed columns, in two round trips whatever their number.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
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
