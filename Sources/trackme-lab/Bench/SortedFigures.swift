extension [Double] {
  /// The smallest of these ascending figures that at least this part of all does not exceed (a
  /// percentile); 0 if empty.
  func part(_ part: Double) -> Double {
    isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * part))]
  }
}
