import EventLoop
import Operations

/// What baresip reads at its start: which modules, no devices, who calls. Nothing of anybody.
struct BaresipFiles {
  /// The directory of its modules.
  let modules: String
  /// Where it calls from, as the other side sees it.
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

  /// One call, out of nowhere: the source of sound is silent until somebody has picked up, and what
  /// comes back is heard by nobody. No module touches a device, so that no sound card is needed.
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
