import Domain
import Testing

/// People whose day values of one type are counted as in the service, each with the person's own
/// noise. They are divided into atoms: the sets that an attacker can request are unions of atoms.
struct SimulatedGroup {
  let type: DataType
  let coding: DayValueCode
  let noise: PersonNoise
  /// The atom of each person, from 1.
  let atoms: [UInt8]

  init(_ type: DataType = .heartRate, atoms: [UInt8], noise: PersonNoise) throws {
    self.type = type
    coding = try #require(DayValueCode(type))
    self.atoms = atoms
    self.noise = noise
  }

  /// The centre of the counted range.
  var middle: Double { (coding.range.lowerBound + coding.range.upperBound) / 2 }

  /// The tally of a period for the people with a condition on the type's own mean, or without; each
  /// person has the same value on all days.
  func count(
    _ values: [Double], days: ClosedRange<Int32>, where conditions: [GroupCount.Condition] = [],
    wanted: DataType? = nil
  ) throws -> GroupTally {
    var count = try #require(
      GroupCount(
        DataTypeSet([wanted ?? type]), where: conditions, period: days,
        parts: Int(atoms.max() ?? 0), noise: noise))
    var people = MemberSet()
    for member in values.indices { people.insert(member) }
    let blocks = 0..<ColumnPosition(member: Int32(values.count - 1)).block + 1
    var columns = packed(values, type, days)
    if let wanted, wanted != type {
      columns += packed(values.map { _ in 0 }, wanted, days)
    }
    count.add(PackedColumns(columns), GroupSlice(blocks, of: people), parts: atoms)
    return try #require(count.tallies.first?.tally)
  }

  private func packed(
    _ values: [Double], _ type: DataType, _ days: ClosedRange<Int32>
  ) -> [UInt8] {
    guard let coding = DayValueCode(type) else { return [] }
    var bytes: [UInt8] = []
    for day in days {
      var columns: [DayColumn] = []
      for (member, value) in values.enumerated() {
        let place = member % DayColumn.people
        if place == 0 { columns.append(DayColumn()) }
        let draw = noise.ofDay(day, type, member: Int32(member))
        columns[columns.count - 1][place] = coding.code(of: value, with: draw)
      }
      for (block, column) in columns.enumerated() {
        bytes += [type.rawValue]
        for shift in [16, 8, 0] {
          bytes.append(UInt8(truncatingIfNeeded: (day - days.lowerBound) >> shift))
        }
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: block >> shift)) }
        bytes += column.bytes
      }
    }
    return bytes
  }
}

/// Least squares: unknown numbers, and answers that are sums of several of them.
struct LeastSquares {
  private let count: Int
  private var normal: [Double]
  private var right: [[Double]]

  /// Creates a system of `count` unknown numbers, each for several kinds of sums.
  init(unknown count: Int, kinds: Int) {
    self.count = count
    normal = Array(repeating: 0, count: count * count)
    right = Array(repeating: Array(repeating: 0, count: count), count: kinds)
    for index in 0..<count { normal[index * count + index] = 1e-6 }
  }

  /// Adds an answer: for each kind a sum over some of the numbers, in ascending order.
  mutating func add(_ indices: [Int], _ sums: [Double]) {
    for row in indices {
      let start = row * count
      for column in indices {
        if column > row { break }
        normal[start + column] += 1
      }
      for (kind, sum) in sums.enumerated() { right[kind][row] += sum }
    }
  }

  /// The best fit, by Cholesky decomposition.
  func solved() -> [[Double]] {
    var lower = normal
    for row in 0..<count {
      for column in 0...row {
        var sum = lower[row * count + column]
        for index in 0..<column {
          sum -= lower[row * count + index] * lower[column * count + index]
        }
        lower[row * count + column] =
          row == column ? sum.squareRoot() : sum / lower[column * count + column]
      }
    }
    return right.map { right in
      var values = right
      for row in 0..<count {
        for index in 0..<row { values[row] -= lower[row * count + index] * values[index] }
        values[row] /= lower[row * count + row]
      }
      for row in (0..<count).reversed() {
        for index in row + 1..<count { values[row] -= lower[index * count + row] * values[index] }
        values[row] /= lower[row * count + row]
      }
      return values
    }
  }
}
