/// Finds elements of given ranks in an array without sorting all of it.
enum Selection {
  /// Reorders `values` so that each rank of `ranks` (ascending, distinct, in range) holds the
  /// element that it would hold after sorting.
  ///
  /// Quickselect over all ranks at once, with the median of three as pivot. A part that does not
  /// shrink fast enough is sorted, so that no input takes more than n log n.
  static func select(_ values: inout [Double], ranks: [Int]) {
    guard !values.isEmpty, !ranks.isEmpty else { return }
    let depth = 2 * (Int.bitWidth - values.count.leadingZeroBitCount)
    var span = values.mutableSpan
    select(&span, 0, span.count - 1, ranks[...], depth: depth)
  }

  private static func select(
    _ values: inout MutableSpan<Double>, _ first: Int, _ last: Int, _ ranks: ArraySlice<Int>,
    depth: Int
  ) {
    var (first, last, ranks, depth) = (first, last, ranks, depth)
    while !ranks.isEmpty, last > first {
      if last - first < 24 { return insertionSort(&values, first, last) }
      if depth == 0 { return heapSort(&values, first, last) }
      depth -= 1
      let (low, high) = partition(&values, first, last)
      // The elements between the two are in place.
      let left = ranks.prefix { $0 <= low }
      let right = ranks.drop { $0 < high }
      if left.isEmpty {
        (first, ranks) = (high, right)
      } else {
        if !right.isEmpty { select(&values, high, last, right, depth: depth) }
        (last, ranks) = (low, left)
      }
    }
  }

  /// Hoare's partition around the median of three. Elements up to the first result are at most, and
  /// elements from the second on at least, as large as those between them.
  private static func partition(
    _ values: inout MutableSpan<Double>, _ first: Int, _ last: Int
  ) -> (Int, Int) {
    let middle = first + (last - first) / 2
    if values[middle] < values[first] { values.swapAt(middle, first) }
    if values[last] < values[middle] { values.swapAt(last, middle) }
    if values[middle] < values[first] { values.swapAt(middle, first) }
    let pivot = values[middle]
    var (left, right) = (first, last)
    while left <= right {
      while values[left] < pivot { left += 1 }
      while pivot < values[right] { right -= 1 }
      if left <= right {
        values.swapAt(left, right)
        left += 1
        right -= 1
      }
    }
    return (right, left)
  }

  private static func insertionSort(
    _ values: inout MutableSpan<Double>, _ first: Int, _ last: Int
  ) {
    for index in (first + 1)...last {
      let value = values[index]
      var place = index
      while place > first, values[place - 1] > value {
        values[place] = values[place - 1]
        place -= 1
      }
      values[place] = value
    }
  }

  private static func heapSort(
    _ values: inout MutableSpan<Double>, _ first: Int, _ last: Int
  ) {
    let count = last - first + 1
    func sift(_ values: inout MutableSpan<Double>, _ start: Int, _ end: Int) {
      var root = start
      while 2 * root + 1 < end {
        var child = 2 * root + 1
        if child + 1 < end, values[first + child] < values[first + child + 1] { child += 1 }
        guard values[first + root] < values[first + child] else { return }
        values.swapAt(first + root, first + child)
        root = child
      }
    }
    for start in stride(from: count / 2 - 1, through: 0, by: -1) { sift(&values, start, count) }
    for end in stride(from: count - 1, to: 0, by: -1) {
      values.swapAt(first, first + end)
      sift(&values, 0, end)
    }
  }
}
