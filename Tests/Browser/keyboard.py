"""The main journey of each kind of account with the keyboard alone, with visible focus."""

from datetime import datetime, timedelta

from browser import DESKTOP, Journey, expect
from people import CHANCE, Company, Person, call, log_in, now, own_place
from scene import raise_emergency

# More stops than the longest page of the journeys has.
STOPS_MAX = 120

# Whether the focus is shown, and not covered by a bar.
FOCUS = """
(element) => {
  if (getComputedStyle(element).outlineStyle === "none") return "not visible";
  const box = element.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return top !== null && (element.contains(top) || top.contains(element)
    || [...element.labels ?? []].some((label) => label.contains(top))) ? "" : "covered";
}
"""
NO_MOUSE = """
addEventListener("pointerdown", () => console.error("a button of the mouse was pressed"), true);
"""


def tab_to(window, target):
    """Presses Tab until the focus is on an element, and checks that the focus can be seen."""
    expect(target).to_be_visible()
    for _ in range(STOPS_MAX):
        window.page.keyboard.press("Tab")
        if target.evaluate("(element) => element === document.activeElement"):
            break
    else:
        raise AssertionError(f"{target}: not reached by {STOPS_MAX} times Tab")
    fault = target.evaluate(FOCUS)
    if fault:
        window.fault(f"the focus of {target} is {fault}")


def press(window, target, key="Enter"):
    tab_to(window, target)
    window.page.keyboard.press(key)


def press_button(window, key, within=None):
    name = window.text(key)
    press(window, (within or window.page).get_by_role("button", name=name, exact=True))


def type_into(window, name, text):
    tab_to(window, window.field(name))
    window.page.keyboard.press("Control+A")
    window.page.keyboard.type(text)


def from_the_top(window):
    window.page.evaluate("document.activeElement.blur()")


def follow_menu(window, path):
    from_the_top(window)
    press(window, window.page.locator(f"nav.frame-menu a[href='{path}']"))


def log_in_by_keys(window, account):
    window.open("/")
    window.heading("welcome.heading")
    # The first stop leads past the menu.
    from_the_top(window)
    press(window, window.page.locator("a.skip"))
    press(window, window.main("a[href='/app/login']"))
    window.heading("login.title")
    type_into(window, "email", account.email)
    window.page.keyboard.press("Enter")
    expect(window.error("password")).not_to_be_empty()
    type_into(window, "password", account.password)
    window.page.keyboard.press("Enter")


def ask(window, person):
    """A company asks for the heart rate of a person."""
    window.heading("research.title")
    press(window, window.main("a[href='/app/research/person']"))
    window.heading("requestPerson.title")
    type_into(window, "person", person.email)
    press(window, window.main("input[value=heartRate]"), "Space")
    press_button(window, "requestPerson.submit")
    window.see("sent.status.pending")


def accept(window, company):
    """A person accepts a request."""
    follow_menu(window, "/app/followers")
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


def publish(window, name):
    """An organiser publishes a run, whose course is typed as coordinates."""
    from_the_top(window)
    press(window, window.page.get_by_role("link", name="Track4Run", exact=True))
    window.heading("newRun.title")
    type_into(window, "runName", name)
    type_into(window, "place", "Milano")
    tab_to(window, window.field("startTime"))
    start = datetime.now() + timedelta(days=1)
    window.page.keyboard.type(start.strftime("%m%d%Y"))
    window.page.keyboard.press("ArrowRight")
    window.page.keyboard.type("1200PM")
    press_button(window, "newRun.next")
    type_into(window, "participants", "10")
    press_button(window, "newRun.next")
    coordinate = window.page.get_by_label(window.text("course.coordinate"), exact=True)
    north, east = CHANCE.uniform(44, 46), CHANCE.uniform(8, 12)
    for step in range(3):
        from_the_top(window)
        tab_to(window, coordinate)
        window.page.keyboard.press("Control+A")
        window.page.keyboard.type(f"{north + step / 200:.5f}, {east:.5f}")
        press_button(window, "course.add")
    window.see("course.valid")
    press_button(window, "newRun.create")
    window.heading("newRun.published")


def answer_emergency(window, person):
    """A hospital comes on duty, takes a call on, and closes it."""
    from_the_top(window)
    press(window, window.page.get_by_role("link", name="Data4Help", exact=True))
    window.heading("research.title")
    follow_menu(window, "/app/emergencies")
    window.heading("emergencies.title")
    place = own_place()
    type_into(window, "coordinate", place)
    press_button(window, "emergencies.comeOn")
    window.see("emergencies.isOn")
    raise_emergency(person, place)
    card = window.main("article.call").filter(has_text=person.name)
    expect(card).to_be_visible(timeout=150_000)
    from_the_top(window)
    press_button(window, "emergencies.takeOn", within=card)
    outcome = card.get_by_role("group", name=window.text("emergencies.outcome"))
    expect(outcome).to_be_visible()
    from_the_top(window)
    press_button(window, "sosOutcome.helped", within=outcome)
    press_button(window, "emergencies.outcomeConfirm", within=window.page.get_by_role("dialog"))
    expect(window.main("tbody tr").filter(has_text=person.name)).to_contain_text(
        window.text("sosOutcome.helped"))


with Journey() as journey:
    person = Person().registered()
    company = Company().registered().approved()
    token = log_in(person)
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [64], "timestamp": [now()],
    }, token)
    call("POST", "/auth/logout", {}, token)
    phone = journey.window("person", DESKTOP)
    desktop = journey.window("company", DESKTOP, "en")
    for window in (phone, desktop):
        window.context.add_init_script(NO_MOUSE)
    log_in_by_keys(desktop, company)
    ask(desktop, person)
    log_in_by_keys(phone, person)
    phone.heading("health.welcome", name=person.name)
    accept(phone, company)
    publish(desktop, f"Run Number{company.number}")
    answer_emergency(desktop, Person().registered())
