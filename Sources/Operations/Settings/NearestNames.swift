/// At most three of `candidates` for which `name` may be a typing error.
func nearestNames(to name: String, among candidates: [String]) -> [String] {
  let distanceMax = max(2, name.utf8.count / 5)
  return
    candidates
    .map { (name: $0, distance: editDistance(Array(name.utf8), Array($0.utf8))) }
    .filter { $0.distance <= distanceMax }
    .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    .prefix(3)
    .map(\.name)
}

/// The number of bytes to insert, remove or replace (edit distance, Levenshtein 1966).
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var previous = Array(0...right.count)
  for (row, byte) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      let replaced = previous[column] + (byte == other ? 0 : 1)
      current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
    }
    previous = current
  }
  return previous[right.count]
}
