import Domain
import PublicAPI
import ServiceKit
import Web

/// The endpoints of group requests (R25-R31), and the price of a request of either kind.
package struct GroupRequestRoutes: Sendable {
  /// The rows for the service's router.
  package let all: [Route]

  /// Routes over these groups; requests have these prices.
  package init(_ groups: GroupRequests, prices: RequestPrices) {
    let pricing = RequestPricing(environment: groups.dependencies.environment, prices: prices)
    let sending = SendGroupRequest(groups: groups, prices: prices)
    let routes = EndpointRoutes()
    all = [
      routes.identified(.sendGroup, sending.send),
      routes.identified(.priceOfRequest, pricing.price),
    ]
  }
}
