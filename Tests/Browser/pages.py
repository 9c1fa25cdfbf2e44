"""Every page on the narrowest phone and on a desktop: width, accessibility and texts."""

import re

from browser import DESKTOP, PAGES, Journey
from people import CHANCE, Company, Person, call, log_in, now

NARROW = {"width": 320, "height": 640}

# Parts and states of pages that have addresses of their own.
STATES = {
    "/app/signup": ["?sent=person", "?sent=child"],
    "/app/help": ["#sos"],
    "/app/health": ["?type=heartRate"],
    "/app/data": ["?part=add", "?part=import", "?part=manage", "?type=position"],
    "/app/followers": ["?part=pending", "?part=followers", "?part=past", "?part=accesses"],
    "/app/organise/runs/:runID": ["?part=edit", "?part=course", "?part=team", "?part=download"],
}


def routes():
    """The path and the reader of each page, as the pages themselves list them."""
    text = (PAGES / "Client/routes.js").read_text()
    found = re.findall(r'path: "([^"]+)", reader: "(\w+)"', text)
    assert len(found) == text.count("load: () => import("), "a route has another form"
    return [(path + state, reader) for path, reader in found
            for state in ["", *STATES.get(path, [])]]


def fill_accounts(person, company):
    """Creates content for the pages; returns the values of `:name` in their paths."""
    theirs = log_in(company)
    hers = log_in(person)
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate", "heartRate", "steps", "position"],
        "values": [61, 78, 4200, "45.4642,9.19"],
        "timestamp": [now(-7_200), now(-3_600), now(-1_800), now(-60)],
    }, hers)
    call("POST", "/sos/enable", {"callPermission": True}, hers)
    call("POST", "/sos/contacts", {
        "contacts": [{"name": "Bruno", "email": f"contact{person.number}@example.org"}],
    }, hers)
    requests = [call("POST", "/req/tp/sendSingle", {
        "email": person.email, "dataTypes": ["heartRate", "steps"], "subscribing": True,
        "duration": 86_400 * days,
    }, theirs)["reqID"] for days in (30, 60, 90)]
    for request, choice in zip(requests, ("accept", "decline")):
        call("POST", "/req/single/choice", {"reqID": request, "choice": choice}, hers)
    return {"reqID": requests[0], **create_run(theirs, hers, company)}


def create_run(theirs, hers, company):
    run = call("POST", "/t4r/org/create", {
        "runName": f"Run Number{company.number}", "startTime": now(30 * 86_400),
        "endTime": now(30 * 86_400 + 7_200), "participants": 10, "place": "Milano",
        "clauses": "Run at your own risk.",
    }, theirs)["runID"]
    east = CHANCE.uniform(8, 12)
    path = [{"coordinate": f"{north},{east:.5f}"} for north in (44.5, 44.51, 44.52)]
    code = call("POST", "/t4r/org/path", {"runID": run, "path": path}, theirs)["code"]
    call("POST", "/t4r/active/join", {"runID": run, "clausesVersion": 1}, hers)
    return {"runID": str(run), "code": code}


def visit(window, path):
    """Checks a page in Italian and light at 320 px, then in English and dark at 1280 px."""
    window.page.set_viewport_size(NARROW)
    window.page.emulate_media(color_scheme="light")
    window.open(path)
    window.look()
    window.page.set_viewport_size(DESKTOP)
    window.page.emulate_media(color_scheme="dark")
    window.page.locator(".frame-header button[lang=en]").click()
    window.wait("() => document.documentElement.lang === 'en'")
    window.look()
    window.page.locator(".frame-header button[lang=it]").click()
    window.wait("() => document.documentElement.lang === 'it'")


with Journey() as journey:
    person = Person().registered()
    company = Company().registered().approved()
    values = fill_accounts(person, company)
    windows = {reader: journey.window(reader) for reader in ("everybody", "person", "company")}
    windows["person"].log_in(person, replace=True)
    windows["person"].heading("health.welcome", name=person.name)
    # No callback is set.
    windows["company"].refusals.add(("GET", "/req/tp/callback", 404))
    windows["company"].log_in(company, replace=True)
    windows["company"].heading("research.title")
    for path, reader in routes():
        address = re.sub(r":(\w+)", lambda found: values[found[1]], path)
        readers = ("person", "company") if reader == "account" else (reader,)
        for each in readers:
            visit(windows[each], address)
