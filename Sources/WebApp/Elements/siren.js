// Loud sounds by WebAudio. Browsers allow sound after the page was touched; until then it is off.

/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioNode[]} the sound that is played now */
let playing = [];
/** @type {"siren" | "call" | null} the sound that should be played */
let wanted = null;
/** Whether it is a test, whose end must not stop the sound of an emergency. */
let isTest = false;
/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * Adds a function that is called when sound becomes possible or impossible.
 * @param {() => void} listener
 * @param {AbortSignal} signal
 */
export function onSoundChange(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

/** Whether the page was touched, so that a sound can be heard. */
export function isSoundUnlocked() {
  return audio !== null && (wanted === null || audio.state === "running");
}

/** Makes sound possible. Works only in a gesture of the reader. */
export async function unlockSound() {
  try {
    if (!audio) {
      audio = new AudioContext();
      audio.addEventListener("statechange", changed);
    }
    await audio.resume();
    if (wanted) begin();
    // An idle context would keep the loudspeaker busy.
    else await audio.suspend();
  } catch {
    audio = null;
  }
  changed();
}

function changed() {
  for (const listener of listeners) listener();
}

// Each touch unlocks the sound, because some browsers lock it again after a call or a pause.
const touch = () => {
  if (!isSoundUnlocked()) void unlockSound();
};
for (const name of ["pointerup", "keydown"]) document.addEventListener(name, touch, true);

/**
 * Plays a sound until `stopSound`: the siren of an emergency, or the ringing of a call to a
 * hospital.
 * @param {"siren" | "call"} sound
 */
export function startSound(sound) {
  isTest = false;
  if (wanted === sound) return;
  silence();
  wanted = sound;
  // Without a touch so far the browser may refuse; the listeners then tell the reader.
  audio ??= isAllowed() ? new AudioContext() : null;
  if (!audio) {
    changed();
    return;
  }
  const play = () => {
    if (wanted === sound) begin();
  };
  void audio.resume().then(play, () => {}).finally(changed);
}

/** Whether the page was touched since it was loaded, if the browser reports it. */
function isAllowed() {
  return navigator.userActivation?.hasBeenActive ?? false;
}

/**
 * Ends a sound; other sounds continue.
 * @param {"siren" | "call"} sound
 */
export function stopSound(sound) {
  if (wanted !== sound) return;
  wanted = null;
  silence();
  void audio?.suspend().catch(() => {});
  changed();
}

function silence() {
  for (const node of playing) {
    if (node instanceof OscillatorNode) node.stop();
    node.disconnect();
  }
  playing = [];
}

/**
 * Plays a sound for a moment. Works only in a gesture of the reader.
 * @param {"siren" | "call"} sound
 */
export async function testSound(sound) {
  await unlockSound();
  if (wanted !== null) return;
  startSound(sound);
  isTest = true;
  setTimeout(() => {
    if (isTest) stopSound(sound);
  }, 1_500);
}

/** Two oscillators modulate a third one: timers would be throttled in hidden pages. */
function begin() {
  if (!audio || playing.length > 0) return;
  const isSiren = wanted === "siren";
  const tone = audio.createOscillator();
  tone.type = "square";
  tone.frequency.value = isSiren ? 1_000 : 720;
  const volume = audio.createGain();
  volume.gain.value = 0.5;
  const pitch = audio.createOscillator();
  pitch.type = isSiren ? "sawtooth" : "square";
  pitch.frequency.value = isSiren ? 2 : 12;
  const pitchDepth = audio.createGain();
  pitchDepth.gain.value = isSiren ? 350 : 110;
  const rhythm = audio.createOscillator();
  rhythm.type = "square";
  rhythm.frequency.value = isSiren ? 1 : 0.5;
  const rhythmDepth = audio.createGain();
  rhythmDepth.gain.value = 0.4;
  pitch.connect(pitchDepth).connect(tone.frequency);
  rhythm.connect(rhythmDepth).connect(volume.gain);
  tone.connect(volume).connect(audio.destination);
  playing = [tone, volume, pitch, pitchDepth, rhythm, rhythmDepth];
  for (const node of playing) if (node instanceof OscillatorNode) node.start();
}
