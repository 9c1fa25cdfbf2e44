/// The parameters of one execution in binary format: all bytes in one buffer, which a connection
/// keeps and uses again.
struct Parameters {
  private(set) var bytes: [UInt8] = [0]
  // One byte stands in front, so that an empty value too has an address.
  /// Where each parameter begins in `bytes`, nil for NULL.
  private(set) var offsets: [Int?] = []
  private(set) var lengths: [Int32] = []

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(0)
    offsets.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  mutating func append<Value: PostgresValue>(_ value: Value) {
    if value.isNull {
      offsets.append(nil)
      lengths.append(0)
      return
    }
    let start = bytes.count
    value.encode(into: &bytes)
    offsets.append(start)
    // The protocol refuses messages of 1 GiB; a longer one is cut down to fail there.
    lengths.append(Int32(clamping: bytes.count - start))
  }
}
