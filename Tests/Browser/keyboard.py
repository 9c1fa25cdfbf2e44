"""Logging in and accepting a request with the keyboard alone."""

from browser import DESKTOP, Journey, expect
from people import Company, Person, call, log_in, now

# More stops than the longest page of the journey has.
STOPS_MAX = 80


def tab_to(window, target):
    """Presses Tab until the focus is on an element, and checks that the focus is visible."""
    for _ in range(STOPS_MAX):
        window.page.keyboard.press("Tab")
        if target.evaluate("(element) => element === document.activeElement"):
            break
    else:
        raise AssertionError(f"{target}: not reached by {STOPS_MAX} times Tab")
    outline = target.evaluate("(element) => getComputedStyle(element).outlineStyle")
    if outline == "none":
        window.fault(f"the focus of {target} is not visible")


def press(window, target, key="Enter"):
    tab_to(window, target)
    window.page.keyboard.press(key)


def type_into(window, name, text):
    tab_to(window, window.field(name))
    window.page.keyboard.type(text)


def log_in_by_keys(window, person):
    window.open("/")
    window.heading("welcome.heading")
    # The first stop leads past the menu.
    window.page.evaluate("document.activeElement.blur()")
    press(window, window.page.locator("a.skip"))
    press(window, window.main("a[href='/app/login']"))
    window.heading("login.title")
    type_into(window, "email", person.email)
    window.page.keyboard.press("Enter")
    expect(window.error("password")).not_to_be_empty()
    type_into(window, "password", person.password)
    window.page.keyboard.press("Enter")
    window.heading("health.welcome", name=person.name)


def accept_by_keys(window, company):
    window.page.evaluate("document.activeElement.blur()")
    press(window, window.page.locator("nav.frame-menu a[href='/app/followers']"))
    window.heading("followers.title")
    card = window.main("article.request").filter(has_text=company.name)
    accept = card.get_by_role("button", name=window.text("followers.accept"), exact=True)
    question = window.page.locator("dialog[open]")
    press(window, accept)
    expect(question).to_be_visible()
    # Escape is not an answer, and the focus returns to the button.
    window.page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(accept).to_be_focused()
    window.page.keyboard.press("Enter")
    expect(question).to_be_visible()
    assert question.evaluate("(dialog) => dialog.contains(document.activeElement)")
    window.look()
    press(window, question.locator("button[value=yes]"))
    expect(card).to_have_count(0)
    press(window, window.main("a[href='/app/followers?part=followers']"))
    expect(card).to_be_visible()


with Journey() as journey:
    person = Person().registered()
    company = Company().registered()
    token = log_in(person)
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [64], "timestamp": [now()],
    }, token)
    call("POST", "/auth/logout", {}, token)
    call("POST", "/req/tp/sendSingle", {
        "email": person.email, "dataTypes": ["heartRate"], "subscribing": True, "duration": 86_400,
    }, log_in(company))
    window = journey.window("person", DESKTOP)
    log_in_by_keys(window, person)
    accept_by_keys(window, company)
