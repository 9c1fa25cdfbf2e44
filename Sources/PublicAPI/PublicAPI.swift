// PublicAPI: every endpoint as data: method, path, accepted callers, retry behaviour, the form of
// query, body and responses, and errors. The services' routing, the gateway's checks and the
// OpenAPI document are all generated from this table, so that they cannot disagree.

import Web

/// The public endpoints of TrackMe.
package enum PublicAPI {
  /// Every endpoint, in the order of the documentation.
  package static let endpoints: [Endpoint] =
    Endpoint.authentication + Endpoint.keys + Endpoint.profiles + Endpoint.settings
    + Endpoint.lookups
    + Endpoint.healthData + Endpoint.collection + Endpoint.imports + Endpoint.devices
    + Endpoint.singleRequests + Endpoint.groupRequests + Endpoint.notifications + Endpoint.push
    + Endpoint.runs
    + Endpoint.runOrganising + Endpoint.runJoining + Endpoint.runInvitations + Endpoint.publicRuns
    + Endpoint.liveRuns + Endpoint.runResults + Endpoint.mapTiles
    + Endpoint.callbacks + Endpoint.paying + Endpoint.automatedSOS
    + Endpoint.gateway
}
