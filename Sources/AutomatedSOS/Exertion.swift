/// The speeds that indicate exercise.
enum Exertion {
  /// In metres a second. Walking at three miles an hour is moderate exercise (3.5 MET; Ainsworth et
  /// al., Compendium of Physical Activities, Medicine and Science in Sports and Exercise 2011; 43:
  /// 1575-1581). A speed over 12.5 is a vehicle, because no runner is that fast (docs/facts.md,
  /// placings).
  static let speeds: ClosedRange<Double> = 1.34...12.5
}
