"""Faults while a person fills forms: each page tells, keeps what was typed, and continues."""

from contextlib import contextmanager

from browser import Journey, expect
from people import Person, log_in, restart, until

REPEATED = "form.repeats"


def edit_profile(window, **values):
    """Opens items of the settings and types their values and the password."""
    window.open("/app/settings")
    window.heading("settings.title")
    for name, value in values.items():
        item = window.text(f"settings.{name}")
        label = f"{window.text('action.edit')} {item}"
        window.page.get_by_role("button", name=label).click()
        window.fill(**{name: value})
    window.fill(password=person.password)


def save(window):
    window.press("settings.save", within=window.main("form").first)


def see_repetition(window, problem, **parameters):
    """The form tells what happened, and that it continues by itself."""
    summary = window.main("form .summary").first
    expect(summary).to_contain_text(window.text(problem, **parameters))
    expect(summary).to_contain_text(window.text(REPEATED))
    window.look()


def network_cut(window):
    """A value waits on the phone, and a form and a page wait for the network."""
    window.open("/app/data?part=add")
    window.heading("data.title")
    window.fill(value="66")
    with window.outage():
        window.context.set_offline(True)
        window.press("data.add")
        window.see("data.kept")
        window.see("data.waiting", count=1)
        window.context.set_offline(False)
        expect(window.page.get_by_text(window.text("data.waiting", count=1))).to_have_count(0)
    [sample] = window.fetch("GET", "/data/stats?types=heartRate")["dataTypes"]
    assert (sample["count"], sample["mean"]) == (1, 66), sample
    edit_profile(window, height="181")
    with window.outage():
        window.context.set_offline(True)
        save(window)
        see_repetition(window, "problem.offline")
        expect(window.field("height")).to_have_value("181")
        window.context.set_offline(False)
        window.see("settings.saved")
    window.menu("menu.health")
    window.heading("health.welcome", name=person.name)
    with window.outage():
        window.context.set_offline(True)
        window.menu("menu.followers")
        window.see("problem.offline")
        window.see("problem.repeats")
        window.context.set_offline(False)
        window.see("followers.empty.followers")


def refused_for_a_moment(window):
    """Too many requests, then a service that restarts: the same values arrive once."""
    answers = [(503, {}), (429, {"Retry-After": "2"})]
    keys = []

    def answer(route):
        keys.append(route.request.headers["idempotency-key"])
        if not answers:
            route.continue_()
            return
        status, headers = answers.pop()
        route.fulfill(
            status=status, headers=headers, content_type="application/problem+json",
            body='{"error": "Try later", "detail": "Try later."}')

    edit_profile(window, weight="70")
    window.page.route("**/settings/single/info", answer)
    with window.outage():
        save(window)
        see_repetition(window, "problem.tooManySeconds", count=2)
        see_repetition(window, "problem.temporary")
        window.see("settings.saved")
    window.page.unroute_all()
    assert len(keys) == 3 and len(set(keys)) == 1, keys
    assert window.fetch("GET", "/settings/single")["weight"] == 70


def gateway_restarts(window):
    edit_profile(window, address="Via Roma 1")
    with window.outage():
        restart("gateway", meanwhile=lambda: save(window))
        window.see("settings.saved")
    assert window.fetch("GET", "/settings/single")["address"] == "Via Roma 1"


def change_of_mind(window):
    """A form is not sent again against the reader's will."""
    window.open("/app/login")
    window.heading("login.title")
    with window.outage():
        window.context.set_offline(True)
        window.fill(email=person.email, password="wrong")
        window.press("login.submit")
        see_repetition(window, "problem.offline")
        window.press("form.stopRepeating")
        expect(window.main(".summary")).not_to_contain_text(window.text(REPEATED))
        window.context.set_offline(False)
        window.page.wait_for_timeout(3_000)
    window.heading("login.title")


def session_replaced(window):
    """Another login ends the session: the page tells, and after the login has what was typed."""
    edit_profile(window, phone="+39 02 7654321")
    window.refusals |= {("GET", "/events", 401), ("POST", "/settings/single/info", 403)}
    with replaced_session(window):
        save(window)
        window.heading("login.title")
        window.see("login.ended")
    log_in_again(window)
    window.heading("settings.title")
    expect(window.field("phone")).to_have_value("+39 02 7654321")
    expect(window.field("password")).to_have_value("")
    # Also a form without a draft of its own.
    window.open("/app/data?part=add")
    window.heading("data.title")
    window.fill(value="67")
    window.refusals.add(("POST", "/data/upload", 403))
    with replaced_session(window):
        window.press("data.add")
        window.heading("login.title")
    log_in_again(window)
    window.heading("data.title")
    expect(window.field("value")).to_have_value("67")
    # Without a request of the reader the page learns it from the end of its stream.
    log_in(person)
    window.heading("login.title")
    window.see("login.ended")
    log_in_again(window)
    window.heading("data.title")
    expect(window.field("value")).to_have_value("67")
    window.press("data.add")
    window.see("data.stored", count=1)


@contextmanager
def replaced_session(window):
    """Ends the session of the window; within it the next request of the reader finds that."""
    window.page.route("**/events", lambda route: None)  # Delays the next stream until the end.
    log_in(person)
    # The gateway learns it within a second; until then it accepts the requests of the window.
    until("the end of the session", lambda: window.page.evaluate(
        "async () => (await fetch('/auth/me')).status === 401"))
    yield
    window.page.unroute_all()


def log_in_again(window):
    window.fill(email=person.email, password=person.password)
    window.refusals.add(("POST", "/auth/login", 403))
    window.press("login.submit")
    window.press("login.replace", within=window.page.get_by_role("dialog"))


def cut_off_in_an_emergency(window):
    """The emergency's page says to call 112 while it is cut off; the abort arrives afterwards."""
    window.fetch("POST", "/sos/enable", {"callPermission": True})
    window.open("/app/sos")
    window.heading("sos.title")
    window.press("sos.drill")
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_be_visible()
    with window.outage():
        window.context.set_offline(True)
        expect(alarm.locator(".alarm-failure")).to_contain_text("112")
        # Touches right after the buttons have changed are ignored.
        window.page.wait_for_timeout(1_000)
        alarm.locator("[data-action=abort]").click()
        expect(alarm).to_contain_text(window.text("alarm.notArrived"))
        window.context.set_offline(False)
        expect(alarm).to_have_attribute("data-mode", "over")


with Journey() as journey:
    person = Person().registered()
    window = journey.window("person")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    network_cut(window)
    refused_for_a_moment(window)
    gateway_restarts(window)
    session_replaced(window)
    cut_off_in_an_emergency(window)
    stranger = journey.window("stranger", language="en")
    change_of_mind(stranger)
