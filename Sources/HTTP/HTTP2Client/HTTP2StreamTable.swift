/// A client's open streams, found by their identifiers (open addressing with linear probing).
///
/// Identifiers are spread over the slots by the golden ratio, so that those of successive requests
/// are far apart: a look-up or removal almost always reads one or two slots.
struct HTTP2StreamTable {
  private static let capacityMin = 16
  private static let initialShift: UInt64 = 60
  /// A larger table is freed when it becomes empty.
  private static let keptCapacityMax = 1024

  private var slots: [HTTP2ClientStream?]
  private(set) var count = 0
  /// 64 less the bits of a slot's index.
  private var shift = initialShift

  init() { self.init(slots: Array(repeating: nil, count: Self.capacityMin)) }

  private init(slots: [HTTP2ClientStream?]) { self.slots = slots }

  /// Takes the place of a table that is moved; must not be used.
  static var vacant: HTTP2StreamTable { HTTP2StreamTable(slots: []) }

  /// The open stream with this identifier, or nil.
  subscript(id: Int32) -> HTTP2ClientStream? {
    var index = home(id)
    while let stream = slots[index] {
      if stream.id == id { return stream }
      index = next(index)
    }
    return nil
  }

  /// All streams, in no particular order.
  var unordered: [HTTP2ClientStream] { slots.compactMap { $0 } }

  /// All streams, in the order of their identifiers.
  var all: [HTTP2ClientStream] { unordered.sorted { $0.id < $1.id } }

  mutating func insert(_ stream: HTTP2ClientStream) {
    if 2 * (count + 1) > slots.count { grow() }
    place(stream)
    count += 1
  }

  mutating func remove(_ id: Int32) {
    var hole = home(id)
    while let stream = slots[hole], stream.id != id { hole = next(hole) }
    guard slots[hole] != nil else { return }
    // Moves later streams of the same run forward, unless their own slot is behind the hole.
    var index = next(hole)
    while let stream = slots[index] {
      let distance = (index &- home(stream.id)) & (slots.count - 1)
      if distance >= (index &- hole) & (slots.count - 1) {
        slots[hole] = stream
        hole = index
      }
      index = next(index)
    }
    slots[hole] = nil
    count -= 1
    if count == 0, slots.count > Self.keptCapacityMax {
      slots = [HTTP2ClientStream?](repeating: nil, count: Self.capacityMin)
      shift = Self.initialShift
    }
  }

  private func home(_ id: Int32) -> Int {
    // 2 to the power of 64, divided by the golden ratio.
    Int(truncatingIfNeeded: (UInt64(id >> 1) &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  private func next(_ index: Int) -> Int { (index + 1) & (slots.count - 1) }

  private mutating func place(_ stream: HTTP2ClientStream) {
    var index = home(stream.id)
    while slots[index] != nil { index = next(index) }
    slots[index] = stream
  }

  private mutating func grow() {
    let streams = slots
    slots = [HTTP2ClientStream?](repeating: nil, count: 2 * streams.count)
    shift -= 1
    for case let stream? in streams { place(stream) }
  }
}
