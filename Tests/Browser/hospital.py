"""A hospital goes on duty, receives a call on its board, acknowledges and closes it."""

from browser import DESKTOP, Journey, expect
from people import Company, Person, call, log_in, now, until

PLACE = "45.4642,9.1900"


def come_on_duty(window):
    # The operator's approval adds the board to the menu.
    window.menu("menu.emergencies")
    window.heading("emergencies.title")
    window.see("emergencies.isOff")
    window.fill(coordinate="")
    window.press("emergencies.comeOn")
    expect(window.error("coordinate")).not_to_be_empty()
    window.fill(coordinate=PLACE)
    window.press("emergencies.comeOn")
    window.see("emergencies.isOn")
    window.look()


def raise_emergency(person):
    """Sends dangerous heart rates until they confirm an emergency, without an abort."""
    token = log_in(person)
    call("POST", "/sos/enable", {"callPermission": True}, token)
    upload(token, "position", f"{PLACE[:5]},{PLACE[8:]}")

    def confirmed():
        upload(token, "heartRate", 131)
        episodes = call("GET", "/sos/history", token=token)["episodes"]
        return episodes and episodes[0]["stage"] in ("confirmed", "dispatched")

    until("the emergency", confirmed)


def upload(token, name, value):
    call("POST", "/data/upload", {
        "dataTypes": [name], "values": [value], "timestamp": [now()],
    }, token)


def take_on_and_close(window, person):
    # The call comes when the time for aborting is over, a minute at most.
    card = window.main("article.call").filter(has_text=person.name)
    expect(card).to_be_visible(timeout=150_000)
    expect(window.page).to_have_title(window.text("emergencies.ringing", count=1))
    window.look()
    window.press("emergencies.takeOn", within=card)
    outcome = card.get_by_role("group", name=window.text("emergencies.outcome"))
    expect(outcome).to_be_visible()
    window.look()
    window.press("sosOutcome.helped", within=outcome)
    window.press("emergencies.outcomeConfirm", within=window.page.get_by_role("dialog"))
    row = window.main("tbody tr").filter(has_text=person.name)
    expect(row).to_contain_text(window.text("sosOutcome.helped"))
    expect(card).to_have_count(0)
    window.look()
    # What the board shows is stored.
    window.page.reload()
    expect(row).to_contain_text(window.text("sosStage.closed"))
    window.press("emergencies.goOff")
    window.see("emergencies.isOff")


with Journey() as journey:
    hospital = Company().registered().approved()
    person = Person().registered()
    window = journey.window("hospital", DESKTOP, "en")
    window.log_in(hospital)
    window.heading("research.title")
    come_on_duty(window)
    raise_emergency(person)
    take_on_and_close(window, person)
