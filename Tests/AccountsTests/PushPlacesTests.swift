import Accounts
import Domain
import Requirements
import Testing

@Suite("The push messages that a process sends at the same time", .tags(.NTF_2))
struct PushPlacesTests {
  private func place(
    _ account: Int64, at service: String? = "https://a.example", isUrgent: Bool = true
  ) -> PushPlaces.Place {
    PushPlaces.Place(isUrgent: isUrgent, account: AccountID(rawValue: account), service: service)
  }

  /// How many of the places could be taken.
  private func taken(_ wanted: [PushPlaces.Place], in places: inout PushPlaces) -> Int {
    wanted.reduce(0) { $0 + (places.take($1) ? 1 : 0) }
  }

  @Test("of an account twenty urgent messages are sent, until one of them has ended")
  func account() {
    var places = PushPlaces()
    let first = taken([PushPlaces.Place](repeating: place(1), count: 21), in: &places)
    #expect(first == 20)
    let elsewhere = taken([place(1, at: "https://b.example")], in: &places)
    #expect(elsewhere == 0)
    let others = taken([place(2)], in: &places)
    #expect(others == 1)
    places.release(place(1))
    let again = taken([place(1), place(1)], in: &places)
    #expect(again == 1)
  }

  @Test("a push service fills at most half of the urgent places", .tags(.SOS_1))
  func service() {
    var places = PushPlaces()
    let first = taken((0..<130).map { place($0) }, in: &places)
    #expect(first == 128)
    let second = taken((200..<330).map { place($0, at: "https://b.example") }, in: &places)
    #expect(second == 128)
    #expect(places.free(isUrgent: true) == 0)
    let third = taken([place(400, at: "https://c.example")], in: &places)
    #expect(third == 0)
    places.release(place(0))
    #expect(places.free(isUrgent: true) == 1)
    let again = taken([place(400), place(401)], in: &places)
    #expect(again == 1)
  }

  @Test("other messages leave the urgent places free, and have no limit for each service")
  func others() {
    var places = PushPlaces()
    let wanted = [PushPlaces.Place](repeating: place(1, isUrgent: false), count: 65)
    let others = taken(wanted, in: &places)
    #expect(others == 64)
    #expect(places.free(isUrgent: true) == 256)
    let urgent = taken([place(1)], in: &places)
    #expect(urgent == 1)
  }

  @Test("a message that is not sent occupies no place of a service or an account")
  func unsent() {
    var places = PushPlaces()
    let wanted = [PushPlaces.Place](repeating: place(1, at: nil), count: 200)
    let unsent = taken(wanted, in: &places)
    #expect(unsent == 200)
    let sent = taken([place(1)], in: &places)
    #expect(sent == 1)
    for place in wanted { places.release(place) }
    #expect(!places.isEmpty)
    places.release(place(1))
    #expect(places.isEmpty)
  }
}
