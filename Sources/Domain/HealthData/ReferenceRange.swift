/// The usual values of a data type at an age, with their source. Not medical advice.
package struct ReferenceRange: Hashable, Sendable {
  /// The position of a value relative to the range.
  package enum Mark: String, Hashable, Sendable, CaseIterable {
    case below, within, above
  }

  /// The lowest usual value; nil if the source has none.
  package let from: Double?
  /// The highest usual value.
  package let to: Double
  /// The resolution of the source; values are rounded to it before they are compared.
  package let step: Double
  /// The publication.
  package let source: String

  /// The range of a type on a day for a person born on another; nil if there is none.
  package static func of(
    _ type: DataType, born: CalendarDate, on day: CalendarDate
  ) -> ReferenceRange? {
    let months = Ages.months(born: born, on: day)
    if months < 216 {
      guard type == .heartRate, let row = children.last(where: { months >= $0.months })
      else { return nil }
      return ReferenceRange(from: row.from, to: row.to, step: 1, source: childrenSource)
    }
    return adults[type]
  }

  /// The position of a value relative to the range.
  package func mark(_ value: Double) -> Mark {
    let rounded = (value / step).rounded()
    if let from, rounded < (from / step).rounded() { return .below }
    return rounded > (to / step).rounded() ? .above : .within
  }

  private static let childrenSource =
    "Fleming et al., Lancet 2011; 377: 1011-1018: 1st and 99th centile at rest"

  /// From these ages in months.
  private static let children: [(months: Int, from: Double, to: Double)] = [
    (0, 107, 181), (3, 104, 175), (6, 98, 168), (9, 93, 161), (12, 88, 156), (18, 82, 149),
    (24, 76, 142), (36, 70, 136), (48, 65, 131), (72, 59, 123), (96, 52, 115), (144, 47, 108),
    (180, 43, 104),
  ]

  private static let earlyWarning =
    "Royal College of Physicians, National Early Warning Score (NEWS2), 2017: score 0"
  private static let hypertension =
    "2018 ESC/ESH Guidelines for the management of arterial hypertension: from 140/90 mmHg"

  /// From 18 years.
  private static let adults: [DataType: ReferenceRange] = [
    .heartRate: ReferenceRange(from: 51, to: 90, step: 1, source: earlyWarning),
    .respiratoryRate: ReferenceRange(from: 12, to: 20, step: 1, source: earlyWarning),
    .oxygenSaturation: ReferenceRange(from: 96, to: 100, step: 1, source: earlyWarning),
    .bodyTemperature: ReferenceRange(from: 36.1, to: 38, step: 0.1, source: earlyWarning),
    .bloodPressureSystolic: ReferenceRange(from: nil, to: 139, step: 1, source: hypertension),
    .bloodPressureDiastolic: ReferenceRange(from: nil, to: 89, step: 1, source: hypertension),
  ]
}
