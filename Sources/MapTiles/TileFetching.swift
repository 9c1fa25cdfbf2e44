import EventLoop
import Operations
import Webhooks

/// Fetches tiles through libcurl, for the time of the process.
package struct TileFetching: Sendable {
  /// The tiles.
  package let tiles: MapTiles
  private let poster: CallbackPoster

  /// Tiles of a server. The addresses and authorities of callbacks apply to it as well.
  ///
  /// - Throws: `StartError` if a setting is wrong, or the system refuses a thread.
  package init?(
    _ settings: Settings, environment: Environment, log: Log, metrics: Metrics
  ) throws(StartError) {
    let server: TileServer?
    var calls: CallbackPoster.Settings
    let publicURL: String
    do throws(SettingsError) {
      server = try TileServer.configured(settings)
      let ranges = try settings.optional(SettingTable.callbackAllow) ?? []
      calls = CallbackPoster.Settings(
        addresses: CallbackAddresses(allowed: ranges.compactMap { AddressRange($0) }),
        authoritiesPath: try settings.optional(SettingTable.callbackAuthorities))
      publicURL = try settings.value(SettingTable.publicURL)
    } catch {
      throw StartError(error)
    }
    guard let server else { return nil }
    calls.answerBytesMax = MapTiles.tileBytesMax
    // Tile servers ask for the name of the program and an address of its operator.
    let headers = ["user-agent: TrackMe (\(publicURL))", "accept: image/*"]
    let poster: CallbackPoster
    do throws(SystemError) {
      poster = try CallbackPoster(calls)
    } catch {
      throw StartError("The thread for map tiles can't be started", error)
    }
    self.poster = poster
    tiles = MapTiles(server, environment: environment, log: log, metrics: metrics) { url in
      await poster.post(CallbackCall(getting: url, headers: headers))
    }
  }

  /// Ends the requests in progress when the process stops.
  package var component: LifecycleComponent {
    LifecycleComponent("map tiles", stop: { poster.stop() })
  }
}
