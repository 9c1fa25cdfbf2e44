import Domain
import HealthRecords
import InternalAPI
import Postgres
import ServiceKit

/// The entries after positions, cut to the amount that one read returns for each of them.
struct SequencePlan {
  /// An entry, or the part of one that fits.
  struct Part {
    let entry: EventRow
    let numbers: ClosedRange<Int64>

    /// The account's numbers that it covers.
    var sequences: ClosedRange<Int64> {
      let shift = entry.firstAccountSequence - entry.firstNumber
      return (numbers.lowerBound + shift)...(numbers.upperBound + shift)
    }
  }

  private struct Reading {
    let position: EventPosition
    var parts: [Part] = []
    var next: Int64
    var room = ThirdPartySequence.numbersMax
    var entries: Int64 = 0
    var isCut = false
  }

  private var readings: [Reading]

  init(_ positions: [EventPosition], _ rows: [EventRow]) {
    readings = positions.map { Reading(position: $0, next: $0.after) }
    for row in rows { Self.add(row, to: &readings[row.input]) }
  }

  private static func add(_ row: EventRow, to reading: inout Reading) {
    reading.entries += 1
    guard !reading.isCut else { return }
    guard reading.room > 0 else {
      reading.isCut = true
      return
    }
    let first = max(row.firstNumber, reading.next + 1)
    // An entry is cut at the same numbers regardless of the position, so that a part keeps its last
    // number, which identifies it in callbacks.
    let step = ThirdPartySequence.numbersMax
    let partEnd = row.firstNumber + ((first - row.firstNumber) / step + 1) * step - 1
    let last = min(row.lastNumber, partEnd, first + reading.room - 1)
    guard first <= last else { return }
    reading.parts.append(Part(entry: row, numbers: first...last))
    reading.room -= last - first + 1
    reading.next = last
    reading.isCut = last < row.lastNumber
  }

  /// The requests of the entries, in a fixed order.
  var requestIDs: [DataRequestID] {
    let parts = readings.flatMap(\.parts).filter { $0.entry.emergency == nil }
    return Set(parts.map(\.entry.requestID)).sorted {
      ($0.high, $0.low) < ($1.high, $1.low)
    }
  }

  /// The emergencies of the entries, for hospitals.
  var emergencies: [DeliveredEmergency] {
    Array(
      Set(
        readings.flatMap { reading in
          reading.parts.compactMap { part in
            part.entry.emergency.map {
              DeliveredEmergency(id: $0, hospital: reading.position.account)
            }
          }
        }))
  }

  /// The samples of the entries, as far as they may be delivered.
  func selections(under proofs: borrowing ConsentProofs) -> [SampleSelection] {
    var selections: [SampleSelection] = []
    for reading in readings {
      for part in reading.parts where part.entry.kind == .data {
        guard let reach = proofs.reach(part.entry.requestID, of: reading.position.account)
        else { continue }
        selections.append(
          SampleSelection(
            account: reach.account, sequences: part.sequences,
            types: part.entry.types.intersection(reach.types), from: reach.from, to: reach.to))
      }
    }
    return selections
  }

  /// A page that only reports to Track4Run that a first entry exists.
  func unreadablePage(after position: EventPosition) -> SequencePage {
    guard let part = readings.first?.parts.first else {
      return SequencePage(next: position.after)
    }
    let event = InternalEvent(unreadable: part.entry, upTo: part.numbers.upperBound)
    return SequencePage(
      items: [EventItem(event, of: part.entry)], next: part.numbers.upperBound, hasMore: true)
  }

  /// The pages in this form, with the samples found for `selections`, in the same order, and the
  /// messages of emergencies.
  ///
  /// - Throws: `internalError` for entries that can't be read, if the form has no event for that.
  func pages(
    under proofs: borrowing ConsentProofs, _ found: [Result<[NumberedSample], ApplicationError>],
    _ emergencies: any EmergencyContent, in form: EventForm, entriesMax: Int64
  ) throws(ApplicationError) -> [SequencePage] {
    var pages: [SequencePage] = []
    var index = 0
    for reading in readings {
      let reader = reading.position.account
      var page = SequencePage(
        next: reading.next,
        hasMore: reading.isCut || reading.entries == entriesMax)
      for part in reading.parts {
        if part.entry.kind == .data {
          guard let reach = proofs.reach(part.entry.requestID, of: reader) else { continue }
          let samples = found[index]
          index += 1
          if let item = try form.unreadable(samples, of: part) {
            page.items.append(item)
          } else {
            page.add(try samples.get(), of: part, under: reach, in: form)
          }
        } else if let id = part.entry.emergency {
          let emergency = DeliveredEmergency(id: id, hospital: reader)
          if let item = emergencies.item(part.entry, emergency) {
            page.items.append(item)
            if part.entry.kind == .emergencyCalled { page.calls.append(emergency) }
          }
        } else if let item = try form.item(
          part.entry, proofs.request(part.entry.requestID, of: reader))
        {
          page.items.append(item)
        }
      }
      pages.append(page)
    }
    return pages
  }
}

extension SequencePage {
  fileprivate mutating func add(
    _ samples: [NumberedSample], of part: SequencePlan.Part, under reach: ConsentProofs.Reach,
    in form: EventForm
  ) {
    guard !samples.isEmpty else { return }
    let shift = part.entry.firstNumber - part.entry.firstAccountSequence
    let delivered = samples.map { DeliveredSample(number: $0.sample.sequence + shift, $0) }
    items.append(form.item(delivered, of: part.entry, upTo: part.numbers.upperBound))
    deliveries.append(
      SequenceDelivery(
        account: reach.account, thirdParty: reach.thirdParty, requestID: part.entry.requestID,
        types: DataTypeSet(delivered.lazy.map(\.type)),
        firstNumber: delivered[0].number, lastNumber: delivered[delivered.count - 1].number,
        count: delivered.count))
  }
}
