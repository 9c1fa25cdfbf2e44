"""The rate limits at the gateway that has the shared address (GW-5): what an address may send at
once, the waiting time of a refusal, other addresses meanwhile, and one network of IPv6 as one
client. Then that gateway is cut off, and the other one counts. Ends with a table, and exit code 1
if a gateway admitted or refused the wrong requests. Needs a deployment that runs, with its limits
on, as `deploy/local/up` starts it. Begin a minute after a former run, whose clients had to wait."""

import re
import time

from deployment import (
    ASK, CONTAINERS, PATIENCE, PUBLIC, ROUTER, STATE, Failure, Outside, addresses, run, wait)
from faults import is_healthy
from process_faults import cut_holder, holder
from results import conclude, least, most, store

# The limit where secrets could be guessed or mailboxes flooded: `RateLimits.guarded`.
BURST, PER_SECOND = 30, 0.5
SENT = 60  # requests of a client, in sequence
LIMITED = "trackme_gateway_limited_total"
FORWARDED = "trackme_gateway_forwarded_total"
PATH = "/auth/password/forgot"  # answers alike with and without an account
# Addresses of the client's machine; those of IPv6 are of one /64 network.
FIRST, SECOND, THIRD = "10.91.0.4", "10.91.0.5", "10.91.0.6"
NETWORK = ("fd91:7472:6163::4", "fd91:7472:6163::5")


def counted(gateway, name):
    """The value of a counter of a gateway, over all labels."""
    metrics = run("nsenter", f"--net={ROUTER}", *ASK, "--max-time", "10", "--fail",
                  f"https://{addresses(gateway)[0]}:{CONTAINERS[gateway][2][1]}/metrics")
    values = re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)", metrics, re.M)
    if not values:
        raise Failure(f"{gateway} has no counter {name}")
    return sum(map(float, values))


class Clients:
    """Clients that send, and note what gateways should have answered or counted otherwise."""

    def __init__(self, outside):
        self.outside = outside
        self.faults = []
        self.sent = self.refused = 0

    def send(self, title, active, passive, *origins):
        """Sends requests from addresses, one after the other, that count as one client, which has
        sent none to this gateway before. The active gateway must admit a full bucket, refuse the
        rest with the time to wait, and count the refusals; the passive one must neither forward
        nor refuse anything. `passive` is None while it is cut off."""
        watched = [(active, LIMITED), (active, FORWARDED)]
        if passive:
            watched += [(passive, LIMITED), (passive, FORWARDED)]
        before = [counted(*each) for each in watched]
        began = time.monotonic()
        answers = [each for origin in origins for each in self.ask(origin, SENT // len(origins))]
        # A bucket that was full holds its burst, and what it earned while the client sent.
        admitted_max = BURST + (time.monotonic() - began) * PER_SECOND
        limited, forwarded, *elsewhere = (
            counted(*each) - former for each, former in zip(watched, before))
        admitted = sum(status == "200" for status, _ in answers)
        refused = sum(status == "429" and seconds.isdecimal() and int(seconds) > 0
                      for status, seconds in answers)
        print(f"| {title} | {active} | {len(answers)} | {admitted} | {refused} |")
        self.sent += len(answers)
        self.refused += refused
        if admitted + refused != SENT:
            self.faults.append(f"{title}: the answers are {sorted(set(answers))}")
        if not BURST <= admitted <= admitted_max:
            self.faults.append(
                f"{title}: {admitted} admitted, must be {BURST} to {admitted_max:.1f}")
        if limited != refused or refused == 0 or forwarded < admitted or any(elsewhere):
            self.faults.append(f"{title}: of {refused} refused and {admitted} admitted, {active} "
                               f"counts {limited} and {forwarded}, {passive} {elsewhere}")

    def ask(self, origin, count):
        """Status and `Retry-After` of requests from an address of the client's machine."""
        host = f"[{PUBLIC[1]}]" if ":" in origin else PUBLIC[0]
        # The fragment makes curl repeat the request; it is not sent.
        lines = self.outside.run(
            "curl", "--silent", "--show-error", "--http1.1", "--max-time", "10", "--interface",
            origin, "--cacert", STATE / "authority.pem", "--json",
            '{"email": "nobody@limits.example"}', "--output", "/dev/null", "--write-out", "%{http_code} %header{retry-after}\\n",
            f"https://{host}{PATH}#[1-{count}]").splitlines()
        return [(line[:3], line[4:].strip()) for line in lines]


def main():
    print("| client | gateway | sent | admitted | refused |")
    print("|---|---|---|---|---|")
    with Outside() as outside:
        for each in (FIRST, SECOND, THIRD):
            outside.run("ip", "address", "add", f"{each}/24", "dev", "eth0")
        for each in NETWORK:
            outside.run("ip", "address", "add", f"{each}/64", "dev", "eth0", "nodad")
        clients = Clients(outside)
        first = f"gateway-{holder()[-1]}"
        second = f"gateway-{3 - int(first[-1])}"
        clients.send("an address", first, second, SECOND)
        clients.send("two of one network of IPv6", first, second, *NETWORK)
        clients.send("another address", first, second, FIRST)
        drill = cut_holder()
        try:
            drill.begin()
            clients.send("the same, after a loss", second, None, FIRST)
            clients.send("a new address, after it", second, None, THIRD)
        finally:
            name = drill.end()
        wait(f"{name}, whole again,", PATIENCE, lambda: is_healthy(name))
    for fault in clients.faults:
        print(fault)
    store("limits", least("requests sent", clients.sent, 5 * SENT),
          least("requests refused with the time to wait", clients.refused, 1),
          most("faults", len(clients.faults), 0))
    return 1 if clients.faults else 0


if __name__ == "__main__":
    conclude("limits", main)
