"""Markup in every field, requests of other origins, cookies and scripts, tabs that log out."""

import http.client
import http.server
import re
import ssl
import threading
from urllib.parse import urlsplit

from browser import DESKTOP, ORIGIN, PAGES, READY, STATE, Journey, expect
from people import (
    CHANCE, Company, Person, call, confirm_device, log_in, now, picture, until,
)

COOKIE = "__Host-trackme"
# The parts of pages that have addresses of their own.
PARTS = {
    "/app/data": ["add", "import", "manage"],
    "/app/followers": ["pending", "followers", "past", "accesses"],
    "/app/organise/runs/:runID": ["edit", "course", "picture", "invite", "team", "download"],
}
# Elements that planted markup created, and everything that a reader can read.
PLANTED = """
() => ({
  elements: [...document.querySelectorAll(".planted, [onerror]")].map(({ outerHTML }) => outerHTML),
  hasRun: "planted" in window,
  text: [document.title, document.documentElement.textContent,
    ...[...document.querySelectorAll("input, textarea")].map(({ value }) => value)].join("\\n"),
})
"""
# Sends requests as a page of another origin can: without preflight, with the cookie. Some at a
# time, because each waits for a round trip only.
FORGE = """
async (requests) => {
  const send = async ([method, address, type]) => {
    const mode = method === "POST" && type === "text/plain" ? "no-cors" : "cors";
    const headers = { "Content-Type": type };
    try {
      const answer = await fetch(address, {
        method, mode, headers, body: "{}", credentials: "include",
      });
      return answer.type === "opaque" ? "sent" : `readable ${answer.status}`;
    } catch {
      return "refused by the browser";
    }
  };
  const outcomes = [];
  for (let first = 0; first < requests.length; first += 6) {
    outcomes.push(...await Promise.all(requests.slice(first, first + 6).map(send)));
  }
  return outcomes;
}
"""
STORED = """
async () => {
  const databases = await indexedDB.databases();
  const caches = await globalThis.caches.keys();
  return JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, databases,
    caches]);
}
"""


def markup(name):
    """Markup that would create an element and run a script; `name` tells where it was typed."""
    return f'{name}<b class="planted"></b><img src="/none" onerror="window.planted=1">'


# Planted markup

def plant(person, company, rival):
    """Types markup into every field; returns the names of the fields and the values of paths."""
    hers, theirs, others = log_in(person), log_in(company), log_in(rival)
    change(hers, "single", person, {
        "full_name": markup("fullName"), "address": markup("address"),
        "residence": {"country": "FR", "place": markup("residence")},
        "diseases": [{"code": "asthma", "drugs": [{"name": markup("drug"), "dosesPerDay": 1}]}],
    })
    change(theirs, "tp", company, {
        "company_name": f"{company.number} {markup('companyName')}",
        "company_description": markup("description"),
        "sector": markup("sector"), "legal_address": markup("legalAddress"),
        "billing_address": markup("billingAddress"),
        "representative": {
            "full_name": markup("representative"), "office_address": markup("office"),
        },
    })
    change(others, "tp", rival, {"company_name": f"{rival.number} {markup('rivalName')}"})
    confirm_device(hers, markup("deviceName"), markup("deviceModel"))
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate", "position"], "values": [61, "45.4642,9.19"],
        "timestamp": [now(-60), now(-60)],
    }, hers)
    call("POST", "/sos/enable", {"callPermission": True}, hers)
    call("POST", "/sos/contacts", {
        "contacts": [{"name": markup("contact"), "email": f"friend{person.number}@example.org"}],
    }, hers)
    call("POST", "/auth/keys", {"name": markup("keyName")}, theirs)
    request = ask(theirs, person)
    call("POST", "/req/single/choice", {"reqID": request, "choice": "accept"}, hers)
    ask(theirs, person)
    return {"reqID": request, **plant_run(hers, theirs, rival)}


def change(token, kind, account, values):
    call("POST", f"/settings/{kind}/info", {"password": account.password, **values}, token)


def ask(token, person):
    return call("POST", "/req/tp/sendSingle", {
        "email": person.email, "dataTypes": ["heartRate"], "subscribing": True,
        "duration": 86_400 * CHANCE.randrange(2, 200),
    }, token)["reqID"]


def plant_run(hers, theirs, rival):
    run = call("POST", "/t4r/org/create", {
        "runName": markup("runName"), "place": markup("place"), "participants": 10,
        "description": markup("runDescription"), "clauses": markup("clauses"),
        "startTime": now(40 * 86_400), "endTime": now(40 * 86_400 + 7_200),
    }, theirs)["runID"]
    east = CHANCE.uniform(8, 12)
    path = [{"coordinate": f"{north},{east:.5f}"} for north in (44.5, 44.51)]
    code = call("POST", "/t4r/org/path", {"runID": run, "path": path}, theirs)["code"]
    call("POST", "/t4r/org/coorganiser", {
        "runID": run, "email": rival.email, "allowed": True,
    }, theirs)
    call("POST", "/t4r/active/join", {
        "runID": run, "clausesVersion": 1, "runnerName": markup("runnerName"),
    }, hers)
    return {"runID": str(run), "code": code}


def addresses(values):
    """The address and the reader of each page and part, as the pages themselves list them."""
    text = (PAGES / "Client/routes.js").read_text()
    found = re.findall(r'path: "([^"]+)", reader: "(\w+)"', text)
    for path, reader in [*found, ("/r/:code", "everybody")]:
        address = re.sub(r":(\w+)", lambda name: values[name[1]], path)
        for part in ["", *(f"?part={each}" for each in PARTS.get(path, []))]:
            yield address + part, reader


def read_everywhere(windows, values):
    """Opens every page of every reader; the planted markup is text wherever it appears."""
    texts = ""
    for address, reader in addresses(values):
        for window in windows.values() if reader == "account" else [windows[reader]]:
            window.open(address)
            if address.startswith("/app"):
                window.wait(READY)
            texts += judge(window)
    return texts


def judge(window):
    """What a page shows; markup that became an element or ran is a fault."""
    found = window.page.evaluate(PLANTED)
    if found["elements"] or found["hasRun"]:
        window.fault(f"planted markup became {found['elements']}, ran: {found['hasRun']}")
    return found["text"]


def plant_in_browser(windows, values):
    """Markup in files' names, in a GPX file and in answers that the pages compose."""
    company = windows["company"]
    name = markup("file").replace("/", "-")
    company.open(f"/app/organise/runs/{values['runID']}?part=course")
    escaped = markup("gpx").replace("&", "&amp;").replace("<", "&lt;")
    points = '<rtept lat="45" lon="9"/><rtept lat="45.01" lon="9"/>'
    text = f"<gpx><rte><name>{escaped}</name>{points}</rte></gpx>"
    company.main(".course-file input").set_input_files(
        {"name": f"{name}.gpx", "mimeType": "application/gpx+xml", "buffer": text.encode()})
    expect(company.main(".notice-success").filter(has_text="gpx<b")).to_be_visible()
    judge(company)
    company.open(f"/app/organise/runs/{values['runID']}?part=picture")
    company.main("input[type=file]").set_input_files(
        {"name": f"{name}.png", "mimeType": "image/png", "buffer": picture()})
    judge(company)
    board = {
        "onDuty": True, "coordinate": "45,9", "calls": [{
            "episodeID": values["reqID"], "stage": "dispatched", "rule": "heartRateHigh",
            "suspectedAt": now(-30), "calledAt": now(), "call": 1,
            "person": {"full_name": markup("patient"), "phone": "+39 02 1234567"},
            "readings": [], "position": None,
        }],
    }
    company.page.route("**/sos/calls*", lambda route: route.fulfill(json=board))
    company.open("/app/emergencies")
    expect(company.main("article.call")).to_contain_text("patient<b")
    judge(company)
    company.page.unroute("**/sos/calls*")


# Requests of another origin

class OtherOrigin:
    """A page on another port of this host: the same site, so that the browser sends the cookie."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><title>Another origin</title>")

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(STATE / "tls/certificate.pem", STATE / "tls/key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        self.address = f"https://localhost:{server.server_port}/"
        threading.Thread(target=server.serve_forever, daemon=True).start()


def changing_endpoints():
    """Every endpoint of the API's description that changes something: its method, its path, the type
    of its body, and whether it is open to visitors."""
    description = call("GET", "/openapi.json")
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            if method != "get":
                types = [*operation.get("requestBody", {}).get("content", {}), "application/json"]
                address = re.sub(r"\{\w+\}", "1", path)
                yield method.upper(), address, types[0], "security" not in operation


def forge(window, other, settings):
    """Sends every changing request from another origin with the window's cookie."""
    before = window.fetch("GET", settings)
    cookie, = window.context.cookies()
    endpoints = list(changing_endpoints())
    assert len(endpoints) > 60, endpoints
    page = window.context.new_page()
    page.goto(other.address)
    forge_in_browser(page, endpoints)
    # The page stays open: after the form, closing it would not end.
    post_form(page)
    # The gateway refuses them even if a browser sends them.
    with Forger(other, cookie["value"]) as forger:
        for method, path, type, is_open in endpoints:
            if not is_open:
                status, text = forger.send(method, path, type)
                is_refused = status == 403 and "Wrong origin" in text
                assert is_refused, f"{method} {path}: {status} {text}"
    assert window.fetch("GET", settings) == before, "a forged request changed the settings"


def forge_in_browser(page, endpoints):
    """Sends the requests as the browser permits them to a page of another origin."""
    posts = {ORIGIN + path: is_open for method, path, _, is_open in endpoints if method == "POST"}
    answers = {}
    page.on("response", lambda each: each.url in posts and answers.update({each.url: each}))
    outcomes = page.evaluate(FORGE, [["POST", address, "text/plain"] for address in posts])
    assert outcomes == ["sent"] * len(posts), list(zip(posts, outcomes))
    until("all answers", lambda: len(answers) == len(posts) or page.wait_for_timeout(50))
    for address, is_open in posts.items():
        check_forged(answers[address], is_open)
    # Other methods and types are preceded by a question, which nothing permits.
    outcomes = page.evaluate(
        FORGE, [[method, ORIGIN + path, type] for method, path, type, _ in endpoints])
    assert set(outcomes) == {"refused by the browser"}, list(zip(endpoints, outcomes))


def check_forged(answer, is_open):
    """A forged request of the browser was refused for its origin, whatever its type and body."""
    path, status = urlsplit(answer.url).path, answer.status
    # An endpoint without a session does for another origin what it does for every visitor.
    expected = range(400, 500) if is_open else (403,)
    assert status in expected, f"{path} answered {status}"


class Forger:
    """Sends requests with the fields of a page of another origin, over one connection."""

    def __init__(self, other, cookie):
        self.fields = {
            "Cookie": f"{COOKIE}={cookie}", "Sec-Fetch-Site": "same-site",
            "Origin": other.address.rstrip("/"),
        }
        trust = ssl.create_default_context(cafile=STATE / "tls/certificate.pem")
        self.connection = http.client.HTTPSConnection(
            urlsplit(ORIGIN).netloc, timeout=60, context=trust)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, method, path, type):
        """Sends a request; returns the status and the text of its answer."""
        self.connection.request(method, path, b"{}", {"Content-Type": type, **self.fields})
        with self.connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def post_form(page):
    """Sends a form of the other origin, which would replace its page."""
    address = ORIGIN + "/settings/tp/info"
    with page.expect_response(address) as answer:
        page.evaluate("""(address) => {
          const form = document.createElement("form");
          Object.assign(form, { method: "post", action: address, enctype: "text/plain" });
          document.body.append(form);
          form.submit();
        }""", address)
    check_forged(answer.value, False)


# Cookies and tabs

def check_cookie(window, account):
    """The session is in one cookie that no script reads, and in no storage of the page."""
    window.open("/app/login")
    window.heading("login.title")
    window.fill(email=account.email, password=account.password)
    window.refusals.add(("POST", "/auth/login", 403))
    window.press("login.submit")
    with window.page.expect_response("**/auth/login") as response:
        window.press("login.replace", within=window.page.get_by_role("dialog"))
    assert "authToken" not in response.value.text(), response.value.text()
    expect(window.page).not_to_have_url(re.compile("/app/login"))
    window.wait(READY)
    cookie, = window.context.cookies()
    assert cookie["name"] == COOKIE and cookie["httpOnly"] and cookie["secure"], cookie
    assert cookie["sameSite"] == "Strict" and cookie["path"] == "/", cookie
    stored = window.page.evaluate(STORED)
    assert cookie["value"] not in stored and stored.startswith('["",'), stored
    policy = window.page.evaluate(
        "async () => (await fetch(location.href)).headers.get('content-security-policy')")
    assert "default-src 'none'" in policy and "require-trusted-types-for 'script'" in policy, policy
    assert "unsafe" not in policy, policy


def log_out_everywhere(window, account, address):
    """Logging out in one tab ends the others within a second."""
    # A busy machine may cause a delay: one of several attempts must be in time.
    delays = []
    for _ in range(3):
        delays.append(log_out_of_tabs(window, address))
        if delays[-1] < 1_000:
            return
        window.log_in(account)
        expect(window.page).not_to_have_url(re.compile("/app/login"))
    raise AssertionError(f"tabs ended after {delays} ms")


def log_out_of_tabs(window, address):
    """Logs out in one of three tabs; returns the milliseconds from the response until the last of
    the others ended."""
    window.open(address)
    window.wait(READY)
    tabs = [window.context.new_page() for _ in range(2)]
    for tab in tabs:
        tab.goto(ORIGIN + address)
        tab.wait_for_function(READY)
        tab.evaluate("""() => {
          new MutationObserver(() => {
            if (location.pathname === "/app/login") window.endedAt ??= Date.now();
          }).observe(document, { subtree: true, childList: true });
        }""")
    ended = window.page.evaluate("""async (name) => {
      const logout = [...document.querySelectorAll("header.frame-header button")]
        .find(({ textContent }) => textContent.includes(name));
      const answered = new Promise((resolve) => {
        new PerformanceObserver((list, observer) => {
          if (!list.getEntries().some(({ name }) => name.endsWith("/auth/logout"))) return;
          observer.disconnect();
          resolve(Date.now());
        }).observe({ type: "resource" });
      });
      logout.click();
      return await answered;
    }""", window.text("frame.logout"))
    delays = []
    for tab in tabs:
        tab.wait_for_function("() => window.endedAt !== undefined")
        delays.append(tab.evaluate("window.endedAt") - ended)
        expect(tab.get_by_role("heading", level=1)).to_have_text(window.text("login.title"))
        tab.close()
    return max(delays)


def change_reader(window):
    """A tab shows nothing of a person once another one has logged in."""
    first, second = Person().registered(), Person().registered()
    window.log_in(first)
    window.heading("health.welcome", name=first.name)
    tab = window.context.new_page()
    tab.goto(ORIGIN + "/app/health")
    heading = tab.get_by_role("heading", level=1)
    expect(heading).to_have_text(window.text("health.welcome", name=first.name))
    window.log_in(second)
    window.heading("health.welcome", name=second.name)
    expect(heading).to_have_text(window.text("health.welcome", name=second.name))
    tab.close()


with Journey() as journey:
    person = Person().registered()
    # Its board of calls is read too.
    company = Company().registered().approved()
    rival = Company().registered()
    values = plant(person, company, rival)
    windows = {
        "everybody": journey.window("everybody"), "person": journey.window("person"),
        "company": journey.window("company", DESKTOP, "en"),
    }
    check_cookie(windows["person"], person)
    check_cookie(windows["company"], company)
    texts = read_everywhere(windows, values)
    fields = {
        "fullName", "address", "residence", "drug", "companyName", "description", "sector",
        "legalAddress", "billingAddress", "representative", "office", "rivalName", "deviceName",
        "deviceModel", "contact", "keyName", "runName", "place", "runDescription", "clauses",
        "runnerName",
    }
    hidden = {field for field in fields if f'{field}<b class="planted"></b>' not in texts}
    assert not hidden, f"not shown as text: {hidden}"
    plant_in_browser(windows, values)
    other = OtherOrigin()
    forge(windows["person"], other, "/settings/single")
    forge(windows["company"], other, "/settings/tp")
    log_out_everywhere(windows["person"], person, "/app/followers")
    log_out_everywhere(windows["company"], company, "/app/history")
    change_reader(windows["person"])
