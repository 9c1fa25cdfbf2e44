import HTTP

/// Remembers the fields of answers that the services of one loop repeat, and what clients receive
/// of them: everything but the number of the request depends on these fields alone.
final class RelayedHeads {
  private static let slotsMax = 16
  /// The most bytes of fields that are remembered.
  private static let bytesMax = 512

  /// Fields of a service, and what clients receive of them. It is a class, because a hit then
  /// counts one reference instead of those of four arrays.
  private final class Known {
    let kind: Int
    let fields: HTTPFields
    let relayed: HTTPFields

    init(_ kind: Int, _ fields: HTTPFields, _ relayed: HTTPFields) {
      self.kind = kind
      self.fields = fields
      self.relayed = relayed
    }
  }

  private struct Slot {
    var known: Known?
    /// The number of bytes of the latest fields.
    var latestBytes = 0
  }

  private var slots = [Slot](repeating: Slot(), count: slotsMax)

  /// Turns a service's head into that for the client, as `RelayPhase.rewrite` does.
  func rewrite(_ head: inout ResponseHead, _ nature: consuming RelayPhase.Nature) {
    head.number = nature.requestID
    let bytes = head.fields.byteCount
    let index = (bytes &+ nature.kind) % Self.slotsMax
    // Moved out, so that the compiler proves exclusive access.
    var slots: [Slot] = []
    swap(&slots, &self.slots)
    defer { swap(&slots, &self.slots) }
    if let known = slots[index].known, known.kind == nature.kind,
      head.fields.isIdentical(to: known.fields)
    {
      head.fields = known.relayed
      return
    }
    // Keeping the fields means to copy them, which only pays if they come again.
    // A cookie of a login is never kept.
    guard bytes == slots[index].latestBytes, bytes <= Self.bytesMax,
      !head.fields.contains(.setCookie)
    else {
      slots[index].latestBytes = bytes
      return RelayPhase.rewriteUnnumbered(&head, nature)
    }
    let fields = head.fields
    RelayPhase.rewriteUnnumbered(&head, nature)
    slots[index].known = Known(nature.kind, fields, head.fields)
  }
}
