"""AutomatedSOS warns a person over the whole page, and one touch aborts the call."""

from browser import Error, Journey, expect
from people import Person, now


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


def send_dangerous_value(window):
    window.fetch("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [131], "timestamp": [now()],
    })


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
    assert shape["height"] >= 48 and shape["y"] + shape["height"] <= size["height"], shape
    assert alarm.locator(".alarm-actions").locator("button, a").count() <= 2
    button.tap()
    expect(alarm).to_contain_text(window.text("alarm.abortedText"))
    # Touches right after the buttons have changed are ignored.
    window.wait("""() => {
      document.querySelector("dialog.alarm[open] [data-action=close]")?.click();
      return document.querySelector("dialog.alarm[open]") === null;
    }""")


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
    send_dangerous_value(window)
    try:
        abort(window)
    except (AssertionError, Error):
        if window.page.locator("dialog.alarm[data-mode=called]").count() == 0:
            raise
        return False
    window.open("/app/sos")
    window.heading("sos.title")
    window.see("sosStage.aborted")
    return True


with Journey() as journey:
    in_time = any(warn_and_abort(journey) for _ in range(3))
    assert in_time, "help was called three times before the abort"
