"""Without a connection the pages open, and values entered by hand are kept and sent once."""

import ssl
import urllib.request

from browser import ORIGIN, STATE, Journey, expect
from people import Person

UPLOAD = f"{ORIGIN}/data/upload"


def keep_pages(window):
    """Waits until the service worker has stored the pages and answers for them."""
    window.wait("""async () => {
      await navigator.serviceWorker.ready;
      const names = await caches.keys();
      const name = names.find((each) => each.startsWith("trackme:"));
      return name !== undefined && (await (await caches.open(name)).match("/app/offline")) !== undefined;
    }""")


def enter(window, value, key, **parameters):
    """Types a heart rate and waits for what the page says about it."""
    window.fill(value=str(value))
    window.press("data.add")
    window.see(key, **parameters)


def values(window):
    """The heart rates that TrackMe has stored."""
    answer = window.fetch("GET", "/data/series?type=heartRate&granularity=raw")
    return sorted(float(point["value"]) for point in answer["points"])


def cut_off(window):
    """Loses the connection, which Chromium also reports for each request of the page."""
    window.is_cut_off = True
    window.context.set_offline(True)


def lose_answer(window):
    """The next upload arrives, and its answer does not."""
    trust = ssl.create_default_context(cafile=STATE / "tls/certificate.pem")

    def drop(route):
        upload = route.request
        fields = {name: value for name, value in upload.all_headers().items() if name[0] != ":"}
        sent = urllib.request.Request(upload.url, upload.post_data_buffer, fields)
        urllib.request.urlopen(sent, context=trust).close()
        route.abort("connectionreset")
    window.is_cut_off = True
    window.page.route(UPLOAD, drop, times=1)


with Journey() as journey:
    person = Person().registered()
    window = journey.window("person")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    window.open("/app/data?part=add&type=heartRate")
    window.heading("data.title")
    keep_pages(window)
    # A page that the worker controls.
    window.page.reload()
    window.heading("data.title")
    enter(window, 61, "data.stored", count=1)

    cut_off(window)
    enter(window, 62, "data.kept")
    window.see("data.waiting", count=1)
    notice = window.page.locator(".frame-connection")
    expect(notice).to_contain_text("112")
    window.look()
    # Closed and opened again without a connection: the pages and the value are there.
    window.page.reload()
    window.heading("data.title")
    window.see("data.waiting", count=1)
    enter(window, 63, "data.kept")
    window.see("data.waiting", count=2)
    window.open("/app/help")
    window.heading("help.title")
    window.context.set_offline(False)
    window.open("/app/data?part=add&type=heartRate")
    window.heading("data.title")
    expect(window.page.get_by_text(window.text("data.waiting", count=1))).to_have_count(0)
    expect(window.page.get_by_text(window.text("data.waiting", count=2))).to_have_count(0)
    assert values(window) == [61, 62, 63], values(window)
    expect(notice).to_be_empty()

    # A repetition with its key stores nothing twice.
    lose_answer(window)
    enter(window, 64, "data.kept")
    window.press("data.sendNow")
    expect(window.page.get_by_text(window.text("data.waiting", count=1))).to_have_count(0)
    assert values(window) == [61, 62, 63, 64], values(window)
