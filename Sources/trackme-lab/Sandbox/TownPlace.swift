import Domain

/// Lodi and the municipalities around it, where the people of the town live.
package enum TownPlace: String, CaseIterable, Sendable {
  /// The town itself; the raw value is the cadastral code.
  case lodi = "E648"
  case lodiVecchio = "E651"
  case tavazzano = "F260"
  case sanMartino = "I012"
  case montanaso = "F423"
  case cornegliano = "D021"
  case boffalora = "A919"
  case corteAdda = "D068"

  /// The share of the people who live in Lodi: of 1,200 people more than 1000 do, so that a group
  /// request for the municipality alone is approved.
  package static let shareOfLodi = 0.9

  /// The name in the reference data.
  package var name: String {
    switch self {
    case .lodi: "Lodi"
    case .lodiVecchio: "Lodi Vecchio"
    case .tavazzano: "Tavazzano con Villavesco"
    case .sanMartino: "San Martino in Strada"
    case .montanaso: "Montanaso Lombardo"
    case .cornegliano: "Cornegliano Laudense"
    case .boffalora: "Boffalora d'Adda"
    case .corteAdda: "Corte Palasio"
    }
  }

  /// Degrees north and east of a point inside, of the reference data.
  var centre: (latitude: Double, longitude: Double) {
    switch self {
    case .lodi: (45.3149, 9.4955)
    case .lodiVecchio: (45.3003, 9.4217)
    case .tavazzano: (45.3337, 9.4051)
    case .sanMartino: (45.2762, 9.5336)
    case .montanaso: (45.3369, 9.4631)
    case .cornegliano: (45.2861, 9.4780)
    case .boffalora: (45.3575, 9.4895)
    case .corteAdda: (45.3091, 9.5587)
    }
  }

  /// A home in this place, within a kilometre and a half of its centre.
  func home(_ random: inout DeterministicRandom) throws(GeoPointError) -> GeoPoint {
    let (latitude, longitude) = centre
    return try GeoPoint(
      latitude: latitude + 0.013 * (2 * random.fraction() - 1),
      longitude: longitude + 0.018 * (2 * random.fraction() - 1))
  }
}
