import Domain

/// A hospital with a position.
protocol PlacedHospital {
  var position: GeoPoint? { get }
}

extension Array where Element: PlacedHospital {
  /// The nearest of these; without a position of the person, the first.
  func nearest(to position: KnownPosition?) -> Element? {
    guard let position else { return first }
    let distances = compactMap { hospital in
      hospital.position.map { (hospital, $0.distance(to: position.point)) }
    }
    return distances.min { $0.1 < $1.1 }?.0
  }
}
