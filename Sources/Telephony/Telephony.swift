// Telephony: voice calls. A call is a recipient, a sentence and its language; espeak-ng speaks the
// sentence and baresip dials over SIP, each in a process of its own, or the texts are written to a
// directory if no telephone is connected. It knows no emergency and no account: the caller composes
// the sentence and cancels the call.
