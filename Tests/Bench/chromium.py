"""The pages in Chromium, slowed down: prints what it measured as lines of JSON.

usage: chromium.py ORDER       ORDER is a file of JSON, which browsing.py writes
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

PHONE = {"width": 390, "height": 844}
# 1 Mb/s, 100 ms round trips, a processor slowed four times.
BYTES_PER_SECOND, LATENCY, SLOWER = 125_000, 100, 4
PATIENCE = 30_000  # milliseconds

# Notes when the page became usable: its module has shown it, no part of it is still being read,
# each chart and map on it is drawn, and the processor is free to answer a touch.
WATCHER = """
(() => {
  const needs = "${NEEDS}";
  // Chart.js sets the style of a canvas when it draws the first time.
  const isDrawn = (canvas) => canvas.style.display === "block";
  const isUsable = () => {
    const main = document.querySelector("main");
    return main !== null && main.querySelector("h1") !== null
      && !main.matches("[aria-busy=true]") && main.querySelector("[aria-busy=true]") === null
      && (needs === "" || main.querySelector(needs) !== null)
      && [...main.querySelectorAll(".chart-canvas canvas")].every(isDrawn);
  };
  let usableAt = null;
  const look = () => {
    if (!isUsable()) {
      usableAt = null;
      return;
    }
    if (usableAt !== null) return;
    usableAt = Infinity;
    requestAnimationFrame(() => setTimeout(() => { usableAt = performance.now(); }));
  };
  new MutationObserver(look).observe(document, {
    subtree: true, childList: true, attributes: true,
  });
  Object.defineProperty(window, "benchUsableAt", { get: () => usableAt });
})();
"""

# The requests of a page: start, end, compressed bytes, address.
TIMELINE = """
() => performance.getEntriesByType("resource").map(
  ({ name, startTime, responseEnd, encodedBodySize }) =>
    [Math.round(startTime), Math.round(responseEnd), encodedBodySize,
     name.replace(/.*\\/assets\\/[0-9a-f]+/, "")])
"""

USABLE = "() => window.benchUsableAt !== null && Number.isFinite(window.benchUsableAt)"

# Whether the list beside the map counts all runners; their number may have a separator.
SHOWN = """
(runners) => Number(document.querySelector("#live-status option")?.textContent
  .replace(/[^0-9]/g, "")) === runners
"""

# What the map shows.
PICTURE = """
() => [...document.querySelectorAll(".map-view canvas")].map((each) => each.toDataURL()).join()
"""

# Counts the frames of each second.
FRAMES = """
(seconds) => new Promise((resolve) => {
  const counts = [];
  const begun = performance.now();
  const frame = (now) => {
    const second = Math.floor((now - begun) / 1000);
    if (second >= seconds) {
      resolve(Array.from({ length: seconds }, (_, each) => counts[each] ?? 0));
      return;
    }
    if (second >= 0) counts[second] = (counts[second] ?? 0) + 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})
"""

# Replaces one event stream by events of the program, which come as fast as the page takes them.
FED_STREAM = """
(() => {
  const real = window.fetch;
  const encoder = new TextEncoder();
  let controller = null;
  window.benchFeed = async (text) => {
    while (controller === null) await new Promise((resolve) => setTimeout(resolve, 20));
    controller.enqueue(encoder.encode(text));
    while (controller.desiredSize < -50) await new Promise((resolve) => setTimeout(resolve));
  };
  window.fetch = (address, options) => {
    if (!String(address).startsWith("${ADDRESS}")) return real(address, options);
    const body = new ReadableStream({ start: (each) => { controller = each; } });
    return Promise.resolve(new Response(body, {
      headers: { "content-type": "text/event-stream" },
    }));
  };
})();
"""

# Feeds the calls of a hospital: each is called and closed.
FEED_CALLS = """
async ([from, to]) => {
  for (let index = from; index < to; index += 1) {
    const at = new Date(Date.now() + index * 1_000).toISOString();
    const episodeID = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const readings = Array.from({ length: 30 }, (_, each) => ({
      dataType: "heartRate", value: String(190 + (each % 9)), unit: "1/min", timestamp: at,
      basis: each === 0,
    }));
    const called = { data: {
      episodeID, rule: "heartRateHigh", suspectedAt: at, confirmedAt: at, calledAt: at, call: 1,
      person: { full_name: `Person ${index}`, birthdate: "1980-05-01", sex: "female",
                phone: "+39 02 1234567" },
      position: { coordinate: "45.4642,9.19", time: at, stale: false }, readings,
    } };
    const closed = { data: { episodeID, reason: "closed" } };
    await window.benchFeed(`: alive\\n\\nevent: sos.called\\nid: ${2 * index + 1}\\n`
      + `data: ${JSON.stringify(called)}\\n\\n`);
    await window.benchFeed(`event: sos.closed\\nid: ${2 * index + 2}\\n`
      + `data: ${JSON.stringify(closed)}\\n\\n`);
  }
}
"""

# Feeds the frames of a run: every runner moves each second.
FEED_FRAMES = """
async ([from, to, runners]) => {
  if (from === 0) {
    const full = Array.from({ length: runners }, (_, each) => [
      each + 1, `Runner ${each + 1}`, 1, 4546420 + each, 919000 + each, 100, 1,
    ]);
    const places = Array.from({ length: runners }, (_, each) => [each + 1, each + 1]);
    const placings = { number: 0, watching: 9, full: places };
    await window.benchFeed(`event: positions\\ndata: ${JSON.stringify({ number: 0, full })}\\n\\n`
      + `event: placings\\ndata: ${JSON.stringify(placings)}\\n\\n`);
  }
  for (let number = from + 1; number <= to; number += 1) {
    const step = number % 200 < 100 ? 3 : -3;
    const moved = Array.from({ length: runners }, (_, each) => [each + 1, step, step, 3, 1]);
    const changed = [[number % runners + 1, 1 + number % 7]];
    await window.benchFeed(`event: positions\\ndata: ${JSON.stringify({ number, moved })}\\n\\n`
      + `event: placings\\ndata: ${JSON.stringify({ number, watching: 9, changed })}\\n\\n`);
  }
}
"""


def say(**figures):
    """One line for browsing.py."""
    print(json.dumps(figures), flush=True)


class Chromium:
    """Debian's Chromium, which trusts the certificate of the installation."""

    def __init__(self, order):
        self.order = order
        self.origin = order["origin"]

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True)
        database = Path(self.home.name) / ".pki/nssdb"
        database.mkdir(parents=True)
        trust = ["certutil", "-d", f"sql:{database}"]
        subprocess.run([*trust, "-N", "--empty-password"], check=True)
        subprocess.run([*trust, "-A", "-n", "trackme", "-t", "P,,", "-i",
                        self.order["certificate"]], check=True)
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium", env={**os.environ, "HOME": self.home.name})
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()
        self.home.cleanup()

    def session(self, account):
        """The cookies of an account; none for a visitor."""
        if account is None:
            return None
        context = self.browser.new_context()
        page = context.new_page()
        page.goto(f"{self.origin}/app/help")
        status = page.evaluate("""async (account) => (await fetch("/auth/login", {
          method: "POST", headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...account, replace: true, cookie: true }),
        })).status""", account)
        if status != 200:
            raise SystemExit(f"{account['email']} can't log in: {status}")
        state = context.storage_state()
        context.close()
        return state

    def window(self, state, needs="", script="", isSlow=True):
        """A page with an empty cache, slowed down, without the service worker, which loads all
        files once the page is usable."""
        context = self.browser.new_context(
            viewport=PHONE, locale="it-IT", timezone_id="Europe/Rome", storage_state=state,
            service_workers="block")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.add_init_script(WATCHER.replace("${NEEDS}", needs) + script)
        debugger = context.new_cdp_session(page)
        for domain in ("Network", "Performance"):
            debugger.send(f"{domain}.enable")
        if isSlow:
            debugger.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": LATENCY, "downloadThroughput": BYTES_PER_SECOND,
                "uploadThroughput": BYTES_PER_SECOND})
            debugger.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        return context, page, debugger


def load(chromium, path, state, needs):
    """A page is opened for the first time: compressed bytes, and seconds until it is usable."""
    context, page, debugger = chromium.window(state, needs)
    received = []
    debugger.on("Network.loadingFinished", lambda event: received.append(
        event["encodedDataLength"]))
    try:
        page.goto(chromium.origin + path, wait_until="commit")
        page.wait_for_function(USABLE)
        # What a part of the page reads in a second step makes it busy again.
        page.wait_for_timeout(1_000)
        page.wait_for_function(USABLE)
    except Error as error:
        shown = page.evaluate("document.body.innerText")
        context.close()
        return {"fault": f"{error.message}; the page shows: {shown[:300]}"}
    milliseconds = page.evaluate("window.benchUsableAt")
    if os.environ.get("BENCH_DETAIL"):
        with open(os.environ["BENCH_DETAIL"], "a", encoding="utf-8") as out:
            out.write(f"== {path} {milliseconds:.0f} ms\n")
            for entry in page.evaluate(TIMELINE):
                out.write(f"{entry}\n")
    faults = page.locator("main .notice-error").all_inner_texts()
    context.close()
    if faults:
        return {"fault": faults[0]}
    return {"bytes": sum(received), "seconds": milliseconds / 1000, "requests": len(received)}


def memory(debugger):
    """The bytes that scripts hold, and the number of nodes, after a collection of garbage."""
    for _ in range(2):
        debugger.send("HeapProfiler.collectGarbage")
    metrics = {each["name"]: each["value"]
               for each in debugger.send("Performance.getMetrics")["metrics"]}
    return {"heap": metrics["JSHeapUsedSize"], "nodes": metrics["Nodes"],
            "listeners": metrics["JSEventListeners"]}


def live(chromium, path, runners, seconds):
    """Frames and memory of a live map that a stream of the gateway moves."""
    context, page, debugger = chromium.window(None, ".map-canvas")
    page.goto(chromium.origin + path, wait_until="commit")
    page.wait_for_function(USABLE)
    page.wait_for_function(SHOWN, arg=runners)
    page.locator("main .map-view").scroll_into_view_if_needed()
    # Each runner has moved often: what is kept once is there, and the code is compiled.
    page.wait_for_timeout(20_000)
    before, picture = memory(debugger), page.evaluate(PICTURE)
    counts = page.evaluate(FRAMES, seconds)
    page.wait_for_timeout(2_000)
    after = memory(debugger)
    moved = page.evaluate(PICTURE) != picture
    context.close()
    return {"counts": counts, "before": before, "after": after, "moved": moved}


def fed(chromium, path, state, stream, script, arguments, events):
    """Memory of a page that takes the events of a day as fast as it can: after each tenth of
    them."""
    context, page, debugger = chromium.window(
        state, script=FED_STREAM.replace("${ADDRESS}", stream), isSlow=False)
    page.set_default_timeout(0)
    page.goto(chromium.origin + path)
    page.wait_for_function(USABLE)
    figures, last = [], 0
    for part in range(1, 11):
        upTo = events * part // 10
        page.evaluate(script, [last, upTo, *arguments])
        last = upTo
        page.wait_for_timeout(1_500)
        figures.append(memory(debugger))
    context.close()
    return {"figures": figures}


def main():
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with Chromium(order) as chromium:
        states = {name: chromium.session(account) for name, account in order["accounts"].items()}
        for name, path, needs in order["pages"]:
            for _ in range(order["rounds"]):
                say(page=path, kind=name, **load(chromium, path, states[name], needs))
        if order["live"] and order["seconds"]:
            say(live=live(chromium, order["live"], order["runners"], order["seconds"]))
        if order["frames"]:
            say(frames=fed(chromium, order["live"], None, "/t4r/active/stream", FEED_FRAMES,
                           [order["runners"]], order["frames"]))
        if order["calls"]:
            say(calls=fed(chromium, "/app/emergencies", states["company"], "/req/tp/stream",
                          FEED_CALLS, [], order["calls"]))


if __name__ == "__main__":
    main()
