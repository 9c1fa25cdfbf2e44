"""Pictures of every page on a phone and a desktop, in both languages and colour schemes."""

import os
import sys
import time
from pathlib import Path

from browser import DESKTOP, PHONE, STATE, TEXTS, Journey, expect
from people import Company, Person, until
from PIL import Image
from scene import EMPTY, NamedCompany, NamedPerson, Scene, addresses

TARGET = Path(sys.argv[4])
ONLY = os.environ.get("FILTER", "").split(",")
LOOKS = [("it", "light"), ("en", "dark"), ("it", "dark"), ("en", "light")]
LOOKS = LOOKS[: int(os.environ.get("LOOKS", "4"))]
HEIGHT_MAX = 6_000
LOADING = [text for texts in TEXTS.values() for key, text in texts.items()
           if key.endswith(".loading")]
IS_COMPLETE = """
(texts) => {
  const main = document.querySelector("main");
  return !texts.some((text) => main.innerText.includes(text))
    && ![...main.querySelectorAll("tbody:empty")].some((each) => each.offsetParent !== null)
    && ![...main.querySelectorAll(".tile-value")].some((each) => each.textContent === "…");
}
"""

# The pictures of the README: the page that each shows, its reader and its size.
README = {
    "health": ("/app/health", "person", PHONE),
    "live": ("/app/runs/{code}/live", "everybody", {"width": 1280, "height": 800}),
    "board": ("/app/emergencies", "company", {"width": 1280, "height": 800}),
}


def demo_accounts():
    """The logins of the demo data."""
    rows = [row.split("\t") for row in (STATE / "demo-logins").read_text().splitlines()]
    (person, person_password), (company, company_password) = [row[1:] for row in rows]

    class DemoPerson(NamedPerson):
        email = person

    class DemoCompany(NamedCompany):
        email = company

    return (
        DemoPerson(title="Anna Bianchi", password=person_password),
        DemoCompany(title="Ospedale del Cuore", password=company_password).approved(),
    )


def take(window, language, scheme):
    """Changes the language and the colour scheme of the open page."""
    window.page.emulate_media(color_scheme=scheme)
    if window.page.locator("html").get_attribute("lang") != language:
        window.page.locator(f".frame-header button[lang={language}]").dispatch_event("click")
        window.wait("(name) => document.documentElement.lang === name", language)


def settle(window):
    """Waits until no part of the page is being read, such as the runners of a live run."""
    window.ready()
    window.wait(IS_COMPLETE, LOADING)


def draw(window, name):
    """Draws the open page in each size, language and scheme, down to its bottom."""
    for language, scheme in LOOKS:
        take(window, language, scheme)
        for size in (PHONE, DESKTOP):
            window.page.set_viewport_size(size)
            settle(window)
            # The bar at the lower edge belongs below the page.
            height = window.page.evaluate("document.documentElement.scrollHeight")
            window.page.set_viewport_size({**size, "height": min(height, HEIGHT_MAX)})
            path = TARGET / f"{name}-{size['width']}-{language}-{scheme}.png"
            window.page.screenshot(path=path)
            window.page.set_viewport_size(size)


def draw_for_readme(window, name, size):
    take(window, "en", "light")
    window.page.set_viewport_size(size)
    window.page.evaluate("scrollTo(0, 0)")
    settle(window)
    path = TARGET / f"README-{name}.png"
    window.page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
        path, optimize=True)


def visit(window, address, name, scene):
    if not any(part in name for part in ONLY):
        return
    scene.advance()
    window.open(address)
    window.ready()
    for picture, (page, reader, size) in README.items():
        if address == page.format(**scene.values) and name.startswith(reader):
            draw_for_readme(window, picture, size)
    draw(window, name)


def file_name(reader, address, values):
    """A name without the numbers of this installation."""
    for key, value in values.items():
        address = address.replace(value, key)
    return reader + "".join(each if each.isalnum() else "_" for each in address)


def is_wanted(group):
    """Whether pictures are drawn whose names end with this word."""
    return any(part in group for part in ONLY)


def draw_alarm(window):
    """The warning that covers every page."""
    take(window, "it", "light")
    window.page.set_viewport_size(PHONE)
    window.open("/app/sos")
    window.press("sos.drill")
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_be_visible()
    for size in (PHONE, DESKTOP):
        window.page.set_viewport_size(size)
        window.page.screenshot(path=TARGET / f"person_alarm-{size['width']}-it-light.png")


def draw_results(windows, scene):
    """The pages of a run that has ended."""
    for reader, address in (
        ("everybody", "/app/runs/{code}"), ("everybody", "/app/runs/{code}/live"),
        ("everybody", "/app/runs/{code}/placings"), ("person", "/app/myrun?run={runID}"),
    ):
        name = file_name(reader, address.partition("?")[0], {}) + "_ended"
        visit(windows[reader], address.format(runID=scene.ended.run, code=scene.ended.code), name,
              scene)


with Journey() as journey:
    TARGET.mkdir(parents=True, exist_ok=True)
    person, company = demo_accounts()
    scene = Scene(person, company, has_ended_run=is_wanted("ended"))
    windows = {reader: journey.window(reader) for reader in ("everybody", "person", "company")}
    newcomers = {"person": Person().registered(), "company": Company().registered()}
    for reader, account in (("person", person), ("company", company)):
        windows[reader].log_in(account, replace=True)
        windows[reader].page.wait_for_url("**/app/*")
    until("the start", lambda: time.time() > scene.race.start + 30, seconds=120)
    for address, reader in addresses(scene.values):
        visit(windows[reader], address, file_name(reader, address, scene.values), scene)
    if is_wanted("ended"):
        draw_results(windows, scene)
    if is_wanted("alarm"):
        draw_alarm(windows["person"])
    for reader, account in newcomers.items():
        window = journey.window(f"new {reader}")
        window.log_in(account)
        window.page.wait_for_url("**/app/*")
        for address in EMPTY[reader]:
            visit(window, address, file_name(f"empty_{reader}", address, {}), scene)
