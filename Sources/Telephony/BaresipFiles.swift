import EventLoop
import Operations

/// The configuration of baresip: modules, no devices, and the caller's address. It contains no
/// personal data.
struct BaresipFiles {
  /// The directory of baresip's modules.
  let modules: String
  /// The caller's host, as the other side sees it.
  let host: SIPHost

  /// Writes both files, each in one step: processes may share the directory.
  ///
  /// - Throws: `SystemError`.
  func write(to directory: String) throws(SystemError) {
    try FileSystem.makeDirectories(directory)
    try FileSystem.writeAtomically("\(directory)/config", Array(configuration.utf8))
    try FileSystem.writeAtomically(
      "\(directory)/accounts", Array("<sip:trackme@\(host.text)>;regint=0\n".utf8))
  }

  /// One outgoing call: the source of sound is silent until the call is picked up, and received
  /// sound is discarded. No module uses a device, so no sound card is needed.
  private var configuration: String {
    """
    poll_method epoll
    call_max_calls 1
    statmode_default off
    ringback_disabled yes
    audio_path /nonexistent
    audio_player aubridge,nobody
    audio_source aubridge,nobody
    audio_alert aubridge,nobody
    ausrc_srate 8000
    auplay_srate 8000
    ausrc_channels 1
    auplay_channels 1
    ausrc_format s16
    auplay_format s16
    module_path \(modules)
    module stdio.so
    module g711.so
    module aubridge.so
    module aufile.so
    module_tmp account.so
    module_app menu.so

    """
  }
}
