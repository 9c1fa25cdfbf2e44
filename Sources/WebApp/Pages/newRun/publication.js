// The calls that create a run: info, picture, course. Each is sent once, even if a later one is
// refused and the organiser tries again.

import { call, newKey, Problem } from "../../Client/api.js";
import { pathOf } from "../../Client/course.js";
import { keepRun, keptRun } from "../../Client/newRunDraft.js";
import { sendPicture } from "../../Elements/runPicture.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /t4r/org/create"]["body"]} RunInfo */
/** @typedef {import("../../Client/course.js").Course} Course */

export class Publication {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.runID = keptRun();
    /** @type {Problem | null} a refusal of the picture, which does not prevent the run */
    this.pictureProblem = null;
    this.sentInfo = "";
    this.sentPath = "";
    this.infoKey = "";
    this.pathKey = "";
    /** @type {File | null} */
    this.sentPicture = null;
  }

  /** The properties of the run for the check of the course. */
  get about() {
    return this.runID === 0 ? {} : { runID: this.runID };
  }

  /**
   * @param {{info: RunInfo, picture: File | null, course: Course}} run
   * @returns {Promise<string>} the code of the published run
   * @throws {Problem}
   */
  async publish({ info, picture, course }) {
    await this.sendInfo(info);
    await this.sendPicture(picture);
    const path = pathOf(course);
    const text = JSON.stringify([this.runID, path]);
    if (text !== this.sentPath) this.pathKey = newKey();
    this.sentPath = text;
    try {
      const { code } = await call("POST /t4r/org/path", {
        body: { runID: this.runID, path }, key: this.pathKey,
      });
      return code;
    } catch (problem) {
      // A refused course may become possible, such as after another run was cancelled.
      if (problem instanceof Problem && !problem.isTemporary) this.sentPath = "";
      throw problem;
    }
  }

  /**
   * Creates the run, or changes it if an earlier attempt has created it.
   * @param {RunInfo} info
   */
  async sendInfo(info) {
    const text = JSON.stringify(info);
    const isCreated = this.runID !== 0;
    if (isCreated && text === this.sentInfo) return;
    if (text !== this.sentInfo) this.infoKey = newKey();
    this.sentInfo = text;
    if (isCreated) {
      const { runID } = this;
      // An optional field that was emptied is removed by an empty text.
      const body = {
        place: "", description: "", clauses: "", enrolUntil: info.startTime, ...info, runID,
      };
      try {
        await call("POST /t4r/org/update", { body, key: this.infoKey });
        return;
      } catch (problem) {
        this.sentInfo = "";
        // The run belongs to another account or was cancelled meanwhile: a new one replaces it.
        if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
        [this.sentInfo, this.sentPicture, this.infoKey] = [text, null, newKey()];
      }
    }
    const { runID } = await call("POST /t4r/org/create", { body: info, key: this.infoKey });
    this.runID = runID;
    keepRun(runID);
  }

  /** @param {File | null} picture */
  async sendPicture(picture) {
    this.pictureProblem = null;
    if (!picture || picture === this.sentPicture) return;
    try {
      await sendPicture(this.runID, picture, this.signal);
      this.sentPicture = picture;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // A picture can be sent later; a run without it is better than none.
      this.pictureProblem = problem;
    }
  }
}
