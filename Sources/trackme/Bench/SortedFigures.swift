extension [Double] {
  /// Of figures in ascending order the smallest that this part of all does not exceed; 0 of none.
  func part(_ part: Double) -> Double {
    isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * part))]
  }
}
