// PublicAPI: every endpoint as data: method, path, who may call it, whether it may be repeated,
// what its query, body and answers look like, and its errors. Routing in the services, the
// gateway's checks and the OpenAPI document all come from this one table, so that they cannot
// disagree.

import HTTP

/// The endpoints of TrackMe as the outside sees them.
package enum PublicAPI {
  /// Every endpoint, in the order of the documentation.
  package static let endpoints: [Endpoint] =
    Endpoint.authentication + Endpoint.keys + Endpoint.profiles + Endpoint.settings
    + Endpoint.lookups
    + Endpoint.healthData + Endpoint.collection + Endpoint.imports + Endpoint.devices
    + Endpoint.singleRequests + Endpoint.groupRequests + Endpoint.notifications + Endpoint.runs
    + Endpoint.runOrganising + Endpoint.runJoining + Endpoint.runInvitations + Endpoint.publicRuns
    + Endpoint.liveRuns + Endpoint.runResults
    + Endpoint.callbacks + Endpoint.paying + Endpoint.automatedSOS
    + Endpoint.gateway
}
