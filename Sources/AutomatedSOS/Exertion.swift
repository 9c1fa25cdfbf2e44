/// When speed says that somebody exercises.
enum Exertion {
  /// In metres a second: walking at three miles an hour is moderate exercise (3.5 MET; Ainsworth et
  /// al., Compendium of Physical Activities, Medicine and Science in Sports and Exercise 2011; 43:
  /// 1575-1581), and over 12.5 nobody runs (docs/facts.md, placings): that is a vehicle.
  static let speeds: ClosedRange<Double> = 1.34...12.5
}
