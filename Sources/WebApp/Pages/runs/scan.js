// Reading a QR code with the camera, in browsers that recognise them. No picture leaves the
// device.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { notice } from "../../Elements/notice.js";

const pause = 200;

/** Whether this browser has a camera interface and recognises QR codes. */
export async function canScan() {
  if (!window.BarcodeDetector || !navigator.mediaDevices) return false;
  try {
    return (await window.BarcodeDetector.getSupportedFormats()).includes("qr_code");
  } catch {
    return false;
  }
}

/**
 * Shows the camera's picture until a code is found, the reader closes it, or the page is left.
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(text: string) => boolean} options.onText whether the text is a code of a run
 * @param {() => void} options.onClose
 */
export function scanner({ signal, onText, onClose }) {
  const video = h("video", {
    class: "scan-video", playsinline: true, muted: true, "aria-label": t("runs.camera"),
  });
  const message = h("div", {}, h("p", { role: "status" }, t("runs.cameraWait")));
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  const close = h("button", {
    type: "button", class: "secondary",
    onclick: () => {
      end();
      onClose();
    },
  }, t("runs.cameraClose"));
  void run(video, message, ending.signal, (text) => {
    const isWanted = onText(text);
    if (isWanted) end();
    else show(message, notice("warning", t("runs.cameraOther")));
  });
  return h("div", { class: "scan" }, video, message, h("p", { class: "actions" }, close));
}

/**
 * @param {HTMLVideoElement} video
 * @param {Element} message
 * @param {AbortSignal} signal
 * @param {(text: string) => void} onText
 */
async function run(video, message, signal, onText) {
  if (!window.BarcodeDetector) return;
  /** @type {MediaStream} */
  let camera;
  try {
    camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    if (!signal.aborted) show(message, notice("warning", t("runs.cameraRefused")));
    return;
  }
  const stop = () => camera.getTracks().forEach((track) => track.stop());
  if (signal.aborted) {
    stop();
    return;
  }
  signal.addEventListener("abort", stop, { once: true });
  video.srcObject = camera;
  try {
    await video.play();
    show(message, h("p", { role: "status" }, t("runs.cameraAim")));
    const detector = new window.BarcodeDetector({ formats: ["qr_code"] });
    while (!signal.aborted) {
      const [found] = await detector.detect(video);
      if (signal.aborted) return;
      if (found) onText(found.rawValue);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  } catch {
    // The camera was taken by another program, or the picture could not be read.
    if (!signal.aborted) show(message, notice("warning", t("runs.cameraRefused")));
  } finally {
    stop();
  }
}
