"""Notifications on this device: the switch, kinds, a new password, logging out, and a message.

Chromium without a window has no push service, so the page gets a subscription of the test's. The
message is delivered to the real service worker by the browser's debugging protocol.
"""

import base64
import json

from browser import ORIGIN, Journey, expect
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from people import Person, until

# A push manager whose subscription survives the pages of a window.
PUSH_SERVICE = """
(() => {
  const name = "test.push";
  const made = (key) => ({
    endpoint: "ENDPOINT",
    options: { applicationServerKey: Uint8Array.from(key).buffer },
    toJSON: () => ({ endpoint: "ENDPOINT", keys: { p256dh: "POINT", auth: "SECRET" } }),
    unsubscribe: async () => {
      localStorage.removeItem(name);
      return true;
    },
  });
  const decoded = (text) => [...atob(text.replaceAll("-", "+").replaceAll("_", "/"))]
    .map((letter) => letter.charCodeAt(0));
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem(name);
    return key === null ? null : made(JSON.parse(key));
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (!userVisibleOnly) throw new TypeError("browsers refuse silent messages");
    const key = decoded(applicationServerKey);
    localStorage.setItem(name, JSON.stringify(key));
    return made(key);
  };
})();
"""


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def push_service():
    point = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint)
    script = PUSH_SERVICE.replace("ENDPOINT", "https://push.example.net/browser/of/the/journey")
    return script.replace("POINT", encoded(point)).replace("SECRET", encoded(b"0123456789abcdef"))


def state(window, name):
    """Waits for a state of the switch."""
    element = window.main(".push-switch")
    expect(element).to_have_attribute("data-push", name)
    expect(element).to_contain_text(window.text(f"push.text.{name}"))
    return element.locator("button[role=switch]")


def subscriptions(window):
    return window.fetch("GET", "/notifications/push")["subscriptions"]


def switch_on_and_choose(window):
    switch = state(window, "off")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    expect(state(window, "on")).to_have_attribute("aria-checked", "true")
    window.look()
    (stored,) = subscriptions(window)
    assert stored["current"] and len(stored["kinds"]) == 7, stored
    window.page.locator("[name='push.run']").uncheck()
    window.press("push.save")
    window.see("push.saved")
    (stored,) = subscriptions(window)
    assert "run" not in stored["kinds"] and "alarm" in stored["kinds"], stored
    window.page.reload()
    state(window, "on")
    expect(window.page.locator("[name='push.run']")).not_to_be_checked()


def change_password(window, person):
    """All subscriptions end with the password, and the page stores its browser's again."""
    (former,) = subscriptions(window)
    label = f"{window.text('action.edit')} {window.text('field.password')}"
    window.page.get_by_role("button", name=label).click()
    changed = "another horse without a battery"
    window.fill(newPassword=changed, newPasswordAgain=changed, password=person.password)
    window.press("settings.save", within=window.main("form").first)
    window.see("settings.saved")
    person.password = changed
    (stored,) = subscriptions(window)
    assert stored["current"] and stored["subscriptionID"] != former["subscriptionID"], stored
    assert set(stored["kinds"]) == set(former["kinds"]), stored


def switch_off(window):
    window.open("/app/notifications")
    window.heading("notifications.title")
    state(window, "on").click()
    state(window, "off")
    assert subscriptions(window) == []


def log_out(window, person):
    state(window, "off").click()
    state(window, "on")
    assert len(subscriptions(window)) == 1
    window.log_out()
    window.wait("() => localStorage.getItem('test.push') === null")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    assert subscriptions(window) == []


def notifications(window):
    """The notifications that the service worker shows."""
    return window.page.evaluate("""async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return (await registration.getNotifications())
        .map(({ title, body, tag, data, requireInteraction }) =>
          ({ title, body, tag, data, requireInteraction }));
    }""")


def show_message(window):
    """Delivers a message to the service worker, which shows it as a notification."""
    window.wait("async () => (await navigator.serviceWorker.ready).active !== null")
    registrations = []
    session = window.context.new_cdp_session(window.page)
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    for _ in range(600):
        if registrations:
            break
        window.page.wait_for_timeout(100)
    content = {
        "title": "AutomatedSOS", "text": "Emergenza: puoi annullarla.", "address": "/app/sos",
        "tag": "emergency:1", "urgent": True,
    }
    # A message that cannot be read leads to the list.
    for data, shown in (
        (json.dumps(content), {
            "title": "AutomatedSOS", "body": "Emergenza: puoi annullarla.", "tag": "emergency:1",
            "data": f"{ORIGIN}/app/sos", "requireInteraction": True,
        }),
        ("no document", {
            "title": "TrackMe", "body": "", "tag": "", "data": f"{ORIGIN}/app/notifications",
            "requireInteraction": False,
        }),
    ):
        until(f"the notification {shown['title']}", lambda data=data, shown=shown: is_shown(
            window, session, registrations[0]["registrationId"], data, shown))


def is_shown(window, session, registration, data, shown):
    """Delivers a message, and tells whether its notification is there a second later. Chromium
    drops a notification that is listed before its display has begun, so the list is read once."""
    session.send("ServiceWorker.deliverPushMessage", {
        "origin": ORIGIN, "registrationId": registration, "data": data,
    })
    window.page.wait_for_timeout(1_000)
    return shown in notifications(window)


with Journey() as journey:
    person = Person().registered()
    window = journey.window("person")
    window.context.add_init_script(push_service())
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    window.menu("menu.settings")
    window.heading("settings.title")
    # Without a window Chromium denies what was not granted.
    state(window, "blocked")
    window.context.grant_permissions(["geolocation", "notifications"], origin=ORIGIN)
    window.page.reload()
    switch_on_and_choose(window)
    change_password(window, person)
    switch_off(window)
    log_out(window, person)
    show_message(window)
