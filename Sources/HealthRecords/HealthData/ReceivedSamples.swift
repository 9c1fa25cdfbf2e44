import Domain
import JSON
import Time

/// The content of an upload: samples, and the device's statements about them.
package struct ReceivedSamples: Sendable {
  /// In the order of the body, including heart rates without a pulse, which are examined but never
  /// stored.
  package private(set) var all: [NewSample] = []
  /// Whether the device was worn, for each sample; empty if the device never reports it.
  private var onBody: [Bool?] = []

  /// No samples.
  init() {}

  /// Samples with their `onBody` values, or without any.
  package init(_ all: [NewSample], onBody: [Bool?] = []) { (self.all, self.onBody) = (all, onBody) }

  /// Whether the device was worn at a sample; nil if the device does not report it.
  package func isOnBody(_ index: Int) -> Bool? { index < onBody.count ? onBody[index] : nil }

  /// The samples to store.
  var stored: [NewSample] { sensorFaults == 0 ? all : all.filter { !$0.isPulseless } }

  /// The number of heart rates without a pulse.
  var sensorFaults: Int { all.count { $0.isPulseless } }

  /// These samples and others, which have no `onBody` value.
  package func adding(_ others: [NewSample]) -> ReceivedSamples {
    ReceivedSamples(all + others, onBody: onBody)
  }

  /// The samples of some types.
  package func only(_ types: DataTypeSet) -> ReceivedSamples {
    let kept = all.indices.filter { types.contains(all[$0].type) }
    return ReceivedSamples(kept.map { all[$0] }, onBody: kept.map { isOnBody($0) })
  }
}

extension NewSample {
  /// Whether it is a heart rate without a pulse.
  var isPulseless: Bool { value.isPulseless(of: type) }
}

// MARK: A refused body

extension ReceivedSamples {
  /// The readable part of a refused body: each sample with a correct type, value and time, whatever
  /// is wrong with the others.
  init(readableIn body: [UInt8], from device: Int32) {
    var fields = UploadFields()
    fields.read(body)
    let types = fields.elements("dataTypes", of: body) { (reader) throws(JSONError) in
      try reader.stringBytes { DataType(name: $0) }
    }
    let times = fields.elements("timestamp", of: body) { (reader) throws(JSONError) in
      try reader.stringBytes { try? Instant(utf8: $0) }
    }
    let onBody = fields.elements("onBody", of: body) { (reader) throws(JSONError) in
      try reader.boolean()
    }
    var index = -1
    let values = fields.elements("values", of: body) { (reader) throws(JSONError) in
      index += 1
      let type = index < types.count ? types[index] : nil
      return try reader.scalarBytes { _, text in
        type.flatMap { try? SampleValue(judged: text, of: $0) }
      }
    }
    for index in 0..<min(types.count, values.count, times.count) {
      guard let type = types[index], let value = values[index], let time = times[index] else {
        continue
      }
      all.append(NewSample(type: type, time: time, device: device, value: value))
      self.onBody.append(index < onBody.count ? onBody[index] : nil)
    }
  }
}

/// The positions of an upload's fields in its body.
private struct UploadFields {
  private var ranges: [String: Range<Int>] = [:]

  /// Finds the fields, as far as the body can be read.
  mutating func read(_ body: [UInt8]) {
    var reader = JSONReader(body)
    do throws(JSONError) {
      try reader.beginObject()
      while let key = try reader.nextField() {
        let range = try reader.skip()
        ranges[key.text] = range
      }
    } catch { return }
  }

  /// The elements of an array, nil for each unreadable one, up to the limit of an upload.
  func elements<Element>(
    _ name: String, of body: [UInt8],
    _ read: (inout JSONReader) throws(JSONError) -> Element?
  ) -> [Element?] {
    guard let range = ranges[name] else { return [] }
    var elements: [Element?] = []
    var reader = JSONReader(body, in: range)
    do throws(JSONError) {
      try reader.beginArray(countMax: UploadPayload.samplesMax)
      while try reader.nextElement() {
        var single = JSONReader(body, in: try reader.skip())
        do throws(JSONError) { elements.append(try read(&single)) } catch { elements.append(nil) }
      }
    } catch { return elements }
    return elements
  }
}
