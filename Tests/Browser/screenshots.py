"""Pictures of every page on a phone and a desktop, in both languages and colour schemes."""

import os
import sys
from pathlib import Path

from browser import DESKTOP, PHONE, STATE, Journey, expect
from people import Company, Person, now, until
from PIL import Image
from scene import EMPTY, NamedCompany, NamedPerson, Scene, addresses

TARGET = Path(sys.argv[4])
ONLY = os.environ.get("FILTER", "")
LOOKS = [("it", "light"), ("en", "dark"), ("it", "dark"), ("en", "light")]
LOOKS = LOOKS[: int(os.environ.get("LOOKS", "4"))]
HEIGHT_MAX = 6_000

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


def draw(window, name):
    """Draws the open page in each size, language and scheme, down to its bottom."""
    for language, scheme in LOOKS:
        take(window, language, scheme)
        for size in (PHONE, DESKTOP):
            window.page.set_viewport_size(size)
            window.ready()
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
    window.ready()
    path = TARGET / f"README-{name}.png"
    window.page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
        path, optimize=True)


def visit(window, address, name, scene):
    if ONLY and ONLY not in name:
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
    """Ends the run, and draws the pages that have changed."""
    path = f"/t4r/run/{scene.values['code']}"
    # On a busy machine, drawing takes longer than the run, which has ended and is not changed.
    if windows["company"].fetch("GET", path)["state"] != "ended":
        windows["company"].fetch("POST", "/t4r/org/update", {
            "runID": int(scene.values["runID"]), "endTime": now(3),
        })
    until("the end", lambda: windows["company"].fetch("GET", path)["state"] == "ended")
    for reader, address in (
        ("everybody", "/app/runs/{code}"), ("everybody", "/app/runs/{code}/live"),
        ("everybody", "/app/runs/{code}/placings"), ("person", "/app/myrun"),
    ):
        name = file_name(reader, address, {}) + "_ended"
        visit(windows[reader], address.format(**scene.values), name, scene)


with Journey() as journey:
    TARGET.mkdir(parents=True, exist_ok=True)
    person, company = demo_accounts()
    scene = Scene(person, company)
    windows = {reader: journey.window(reader) for reader in ("everybody", "person", "company")}
    newcomers = {"person": Person().registered(), "company": Company().registered()}
    for reader, account in (("person", person), ("company", company)):
        windows[reader].log_in(account, replace=True)
        windows[reader].page.wait_for_url("**/app/*")
    for address, reader in addresses(scene.values):
        visit(windows[reader], address, file_name(reader, address, scene.values), scene)
    if not ONLY or ONLY in "ended":
        draw_results(windows, scene)
    if not ONLY or ONLY in "alarm":
        draw_alarm(windows["person"])
    for reader, account in newcomers.items():
        window = journey.window(f"new {reader}")
        window.log_in(account)
        window.page.wait_for_url("**/app/*")
        for address in EMPTY[reader]:
            visit(window, address, file_name(f"empty_{reader}", address, {}), scene)
