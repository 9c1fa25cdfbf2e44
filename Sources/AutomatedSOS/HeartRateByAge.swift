/// Usual heart rates by age, in BPM.
enum HeartRateByAge {
  /// Both ends are included.
  struct Range {
    let from: Float
    let to: Float
  }

  /// At rest, from 18 years (docs/facts.md, SOS: under 45 or over 120 raises an emergency).
  static let adult = Range(from: 45, to: 120)

  /// At rest, at this age.
  static func resting(at age: Age) -> Range {
    guard !age.isAdult else { return adult }
    var range = adult
    for row in children where age.months >= row.months { range = row.range }
    return range
  }

  /// The highest rate that exercise explains: 220 − age in years (docs/facts.md, SOS; Fox, Naughton
  /// and Haskell, Annals of Clinical Research 1971; 3: 404-432).
  static func exercising(at age: Age) -> Float { Float(220 - age.years) }

  /// From these ages in months, under the age of 18: 1st and 99th centile at rest (Fleming et al.,
  /// Lancet 2011; 377: 1011-1018; docs/facts.md, SOS).
  private static let children: [(months: Int, range: Range)] = [
    (0, Range(from: 107, to: 181)), (3, Range(from: 104, to: 175)),
    (6, Range(from: 98, to: 168)), (9, Range(from: 93, to: 161)),
    (12, Range(from: 88, to: 156)), (18, Range(from: 82, to: 149)),
    (24, Range(from: 76, to: 142)), (36, Range(from: 70, to: 136)),
    (48, Range(from: 65, to: 131)), (72, Range(from: 59, to: 123)),
    (96, Range(from: 52, to: 115)), (144, Range(from: 47, to: 108)),
    (180, Range(from: 43, to: 104)),
  ]
}
