/// The parameters of one execution in binary format, in one buffer that a connection keeps and
/// reuses.
struct Parameters {
  private(set) var bytes: [UInt8] = [0]
  // The buffer starts with one unused byte, so that an empty value has an address too.
  /// The offset of each parameter in `bytes`, nil for NULL.
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
    // The protocol rejects messages of 1 GiB; a longer length is clamped and fails there.
    lengths.append(Int32(clamping: bytes.count - start))
  }
}
