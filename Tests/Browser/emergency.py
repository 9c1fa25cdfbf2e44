"""AutomatedSOS: permission, settings, a warning over the whole page that one touch aborts."""

import re

from browser import ORIGIN, Error, Journey, expect
from people import Person, SimulatedPhone, now, number


def switch_on(window):
    switch = window.main(".sos-card button[role=switch]")
    expect(switch).to_have_attribute("aria-checked", "false")
    # Without the permission for calls it stays off.
    switch.click()
    window.press("action.cancel", within=window.page.get_by_role("dialog"))
    window.see("health.sos.refused")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    window.look()
    window.press("health.sos.permit", within=window.page.get_by_role("dialog"))
    window.see("health.sos.enabled")
    expect(switch).to_have_attribute("aria-checked", "true")


def abort(window):
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_be_visible()
    size = window.page.viewport_size
    box = alarm.bounding_box()
    assert (box["x"], box["y"]) == (0, 0), box
    assert (box["width"], box["height"]) == (size["width"], size["height"]), box
    wait_for_two_seconds(alarm)
    button = alarm.locator("[data-action=abort]")
    shape = button.bounding_box()
    for part, least in ((".alarm-countdown", 40), (".alarm-text", 18), ("[data-action]", 18)):
        shown = alarm.locator(part).first.evaluate("(each) => getComputedStyle(each).fontSize")
        assert float(shown.removesuffix("px")) >= least, f"{part}: {shown}"
    assert shape["height"] >= 48 and shape["y"] + shape["height"] <= size["height"], shape
    assert alarm.locator(".alarm-actions").locator("button, a").count() <= 2
    window.hear()
    # Nothing in the first touch's way: the warning names what was measured and where she is.
    expect(alarm).to_contain_text(window.text("sosRule.heartRateHigh"))
    expect(alarm).to_contain_text(window.text("alarm.noPosition"))
    expect(alarm).to_contain_text(re.compile(r"Frequenza cardiaca \d+\sbpm"))
    button.tap()
    window.hear_nothing()
    expect(alarm).to_contain_text(window.text("alarm.abortedText"))
    close_alarm(window)


def wait_for_two_seconds(alarm):
    """The countdown moves; touches of the first moment were meant for the page beneath."""
    countdown = alarm.locator(".alarm-countdown")
    for _ in range(2):
        expect(countdown).not_to_be_empty()
        expect(countdown).not_to_have_text(countdown.inner_text())


def warn_and_abort(journey):
    """Whether a person aborts in time, which a very busy machine may prevent."""
    person = Person().registered()
    window = journey.window(f"person-{len(journey.windows) + 1}")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    switch_on(window)
    window.menu("menu.followers")
    window.heading("followers.title")
    # Her phone measures tachycardia from the tenth second on.
    with SimulatedPhone("--profile", "tachycardia", "--every", "1", "--send", "1") as phone:
        window.fetch("POST", "/devices/pair/confirm", {"code": phone.code, "accept": True})
        try:
            abort(window)
        except (AssertionError, Error):
            if window.page.locator("dialog.alarm[data-mode=called]").count() == 0:
                raise
            return False
        phone.program.kill()
    window.open("/app/sos")
    window.heading("sos.title")
    window.see("sosStage.aborted")
    change_settings(window)
    drill(window)
    tell_doubts(window)
    warn_beside_a_hanging_page(window)
    return True


def change_settings(window):
    """A contact, a threshold within its bounds, a pause."""
    window.fill(**{"contacts[0].name": "Bruno", "contacts[0].email": "bruno@"})
    window.press("sos.saveContacts")
    expect(window.error("contacts[0].email")).to_have_text(window.text("sos.contactEmail"))
    window.fill(**{"contacts[0].email": f"bruno{number()}@example.org"})
    window.press("sos.saveContacts")
    # The page tells that he was asked to agree.
    expect(window.main(".sos-contact .tag")).to_be_visible()
    window.fill(heartRateHigh="999")
    window.press("sos.saveThresholds")
    expect(window.error("heartRateHigh")).not_to_be_empty()
    window.fill(heartRateHigh="140")
    window.press("sos.saveThresholds")
    window.see("sos.thresholdsSaved")
    window.field("pause").select_option("1")
    window.press("sos.pause")
    paused = window.text("sos.paused", time="|").split("|")[0]
    expect(window.main(".sos-state h2")).to_contain_text(paused.strip())
    window.look()
    window.press("sos.resume")
    window.see("sos.on")


def drill(window):
    """A drill looks as an emergency does and calls nobody."""
    window.press("sos.drill")
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_contain_text(window.text("alarm.drill"))
    window.hear()
    window.wait("""() => {
      document.querySelector("dialog.alarm[open] [data-action=abort]")?.click();
      return document.querySelector("dialog.alarm[data-mode=over]") !== null;
    }""")
    window.hear_nothing()


def tell_doubts(window):
    """002 §3.2.10: helpers would get an old position; a silent device has to be checked."""
    window.open("/app/sos")
    window.heading("sos.title")
    # Both take minutes, longer than a journey lasts: their answer and event are made here.
    window.page.evaluate("""(time) => {
      const read = window.fetch;
      window.fetch = async (...request) => {
        const response = await read(...request);
        if (!response.url.includes("/sos/history")) return response;
        const history = await response.json();
        for (const episode of history.episodes) {
          episode.position = { coordinate: "45.4642,9.19", time, stale: true };
        }
        return Response.json(history);
      };
    }""", now(-600))
    window.press("sos.drill")
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_contain_text(window.text("alarm.oldPosition", time="|").split("|")[0])
    close_alarm(window)
    window.page.evaluate("""() => dispatchEvent(new CustomEvent("trackme-alarm", {
      detail: { data: { stage: "silent" } },
    }))""")
    window.see("alarm.silent")


def close_alarm(window):
    """Repeats the touch, because the page ignores touches right after its buttons changed."""
    window.wait("""() => {
      document.querySelector("dialog.alarm[open] [data-action=abort], "
        + "dialog.alarm[open] [data-action=close]")?.click();
      return document.querySelector("dialog.alarm[open]") === null;
    }""")
    expect(window.page.locator("dialog.alarm")).to_have_text("")


def warn_beside_a_hanging_page(window):
    """A page that never arrives delays no warning."""
    page = window.page
    # Requests of a service worker cannot be held.
    page.evaluate("""async () => {
      for (const worker of await navigator.serviceWorker.getRegistrations()) {
        await worker.unregister();
      }
    }""")
    page.route("**/followers.js*", lambda route: None)
    with page.expect_response("**/events"), page.expect_response("**/sos/history*"):
        page.goto(ORIGIN + "/app/followers", wait_until="commit")
    window.fetch("POST", "/sos/drill")
    expect(page.locator("dialog.alarm")).to_contain_text(window.text("alarm.drill"))
    assert window.main("h1").count() == 0, "the page did arrive"
    close_alarm(window)
    page.unroute("**/followers.js*")


with Journey() as journey:
    in_time = any(warn_and_abort(journey) for _ in range(3))
    assert in_time, "help was called three times before the abort"
