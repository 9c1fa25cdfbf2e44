import HTTP
import Testing

@Suite("Addresses of peers")
struct PeerAddressTests {
  @Test("an IPv4 client on a dual-stack socket has its IPv4 address, in text form as well")
  func mapped() {
    let peer = PeerAddress.ipv6(0, 0xFFFF_C000_0201, port: 7)
    #expect(peer.host == .ipv4(0xC000_0201, port: 0))
    #expect(peer.network == .ipv4(0xC000_0201, port: 0))
    #expect(peer.description == "192.0.2.1")
    #expect(peer.host.description == "192.0.2.1")
  }

  @Test("other addresses are unchanged")
  func others() {
    let peer = PeerAddress.ipv6(0x2001_0DB8_0000_0001, 0xFFFF_C000_0201, port: 7)
    #expect(peer.host == .ipv6(0x2001_0DB8_0000_0001, 0xFFFF_C000_0201, port: 0))
    #expect(peer.network == .ipv6(0x2001_0DB8_0000_0001, 0, port: 0))
    #expect(peer.description == "2001:db8:0:1:0:ffff:c000:201")
    #expect(PeerAddress.ipv6(0, 1, port: 7).description == "0:0:0:0:0:0:0:1")
    #expect(PeerAddress.ipv4(0x7F00_0001, port: 7).network == .ipv4(0x7F00_0001, port: 0))
    #expect(PeerAddress.unix.network == .unix)
  }
}
