import Domain

/// A hospital that says where it is.
protocol PlacedHospital {
  var position: GeoPoint? { get }
}

extension Array where Element: PlacedHospital {
  /// The nearest of these, which is called; without a position, the first.
  func nearest(to position: KnownPosition?) -> Element? {
    guard let position else { return first }
    let distances = compactMap { hospital in
      hospital.position.map { (hospital, $0.distance(to: position.point)) }
    }
    return distances.min { $0.1 < $1.1 }?.0
  }
}
