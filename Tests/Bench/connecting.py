"""What the gateway owes to a single client, and to many: latency, handshakes, large bodies,
connections."""

import statistics

from load import Handshakes, Paced, Transfer, Wrk, prioritise
from processes import BenchFailure, peak, reset_peak, resident
from proxying import GET_PATH, LOAD_CORE, Contest, bearer
from report import Row
from rounds import QUICK, ROUNDS, SECONDS, alternate, ratio

# From a few connections to more than a loop serves at once.
CONNECTIONS = [16, 64, 256] if QUICK else [16, 64, 256, 1_024, 4_096]
CLIENTS = 64
# A body as large as an import or an export of years, which the backend also answers.
MEGABYTES, BODIES = 100, 2 if QUICK else 10
IMPORT_PATH, EXPORT_PATH = "/data/import?format=apple-health", "/auth/export"
GROWTH_MAX = 8  # MiB of the gateway while it passes such bodies on


def measure(report, system, directory, token):
    """All figures, of the same gateway and nginx."""
    with Contest(system, directory, token) as contest:
        sides = (("gateway", contest.gateway, contest.gateway_ports),
                 ("nginx", contest.nginx, contest.nginx_ports))
        _alone(report, contest, sides)
        _handshakes(report, contest, sides)
        _bodies(report, contest, sides, directory)
        rate = _many(report, contest)
        _half(report, contest, directory, rate)


def _wrk(contest, process, port, connections):
    return Wrk(f"http://127.0.0.1:{port}{GET_PATH}", bearer(contest.token),
               {"proxy": [(process.pid, False)]}, connections=connections, core=LOAD_CORE,
               secrets={contest.token: "$TOKEN"})


def _beside(report, title, loads):
    """The rounds of gateway and nginx."""
    report.begin(f"{title}, beside nginx", [load.shown(SECONDS) for load in loads])
    gateway, nginx = alternate(*(
        (name, lambda warm, load=load: load.measure(1 if warm else SECONDS))
        for name, load in zip(("gateway", "nginx"), loads)))
    for side in (gateway, nginx):
        report.say(f"   {side.name:8} {side.rate():,.0f}/s, {side.microseconds():.1f} µs each")
    return gateway, nginx


def _alone(report, contest, sides):
    """One connection with one request at a time: its latency is the inverse of its rate."""
    loads = [_wrk(contest, process, ports[0], 1) for _, process, ports in sides]
    middle, low, high = ratio(*_beside(report, "one request at a time", loads),
                              lambda each: 1 / each.rate)
    report.add(Row("gateway, one request at a time: latency of nginx's", middle, "", must=1.1,
                   below=True, note=f"rounds {low:.2f} to {high:.2f}"))


def _handshakes(report, contest, sides):
    """Handshakes of TLS 1.3 by their processor time, because the client's is as long."""
    for kind, name in (("new", "full"), ("reuse", "resumed")):
        loads = [Handshakes(ports[1], GET_PATH, kind, {"proxy": [(process.pid, False)]},
                            core=LOAD_CORE) for _, process, ports in sides]
        middle, low, high = ratio(*_beside(report, f"{name} handshakes", loads),
                                  lambda each: 1 / each.microseconds())
        report.add(Row(f"gateway, {name} handshakes: rate of nginx's", middle, "", must=0.95,
                       note=f"for a second of processor time, rounds {low:.2f} to {high:.2f}"))


def _bodies(report, contest, sides, directory):
    """Large bodies in both directions, and the memory of the gateway meanwhile."""
    file = f"{directory}/large.xml"
    with open(file, "wb") as body:
        body.write(bytes(MEGABYTES * 1_000_000))
    reset_peak(contest.gateway.pid)
    before = resident(contest.gateway.pid)
    for name, path, sent in (("down", EXPORT_PATH, None), ("up", IMPORT_PATH, file)):
        fields = bearer(contest.token) + (["Content-Type: application/xml"] if sent else [])
        loads = [Transfer(
            f"http://127.0.0.1:{ports[0]}{path}", fields, {"proxy": [(process.pid, False)]},
            MEGABYTES, BODIES, sent, core=LOAD_CORE,
            secrets={contest.token: "$TOKEN"}) for _, process, ports in sides]
        sides_measured = _beside(report, f"{MEGABYTES} MB {name}", loads)
        middle, low, high = ratio(*sides_measured, lambda each: each.rate)
        # The backend speaks HTTP/2 to the gateway alone, on the core of the client, which decides
        # the rate of large answers.
        processor, _, _ = ratio(*sides_measured, lambda each: each.microseconds())
        report.add(Row(f"gateway, {MEGABYTES} MB {name}: rate of nginx's", middle, "", must=0.9,
                       note=f"rounds {low:.2f} to {high:.2f}"))
        report.add(Row(f"gateway, {MEGABYTES} MB {name}: processor time of nginx's", processor, "",
                       below=True))
    # The peak: a body that is kept as a whole is freed when it has been sent.
    grown = (peak(contest.gateway.pid) - before) / (1 << 20)
    report.add(Row("gateway, growth of memory during these bodies, at most", grown, "MiB",
                   must=GROWTH_MAX, below=True))


def _segments():
    """The TCP segments that this machine has sent."""
    with open("/proc/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file if line.startswith("Tcp:"))
    return int(values[names.index("OutSegs")])


def _many(report, contest):
    """Processor time of a request at each number of connections, how much that of nginx grows, and
    the segments that the gateway and its clients send for a request; returns the gateway's rate at
    64."""
    few, many = CLIENTS, CONNECTIONS[-1]
    loads = {("gateway", count): _wrk(contest, contest.gateway, contest.gateway_ports[0], count)
             for count in CONNECTIONS}
    loads |= {("nginx", count): _wrk(contest, contest.nginx, contest.nginx_ports[0], count)
              for count in (few, many)}
    report.begin("a GET over more and more connections",
                 [load.shown(SECONDS) for load in loads.values()])
    rounds = {key: [] for key in loads}
    segments = {key: [] for key in loads}
    for load in loads.values():
        load.measure(1)
    for _ in range(3):
        for key, load in loads.items():
            before = _segments()
            measured = load.measure(SECONDS)
            rounds[key].append(measured)
            segments[key].append((_segments() - before) / measured.operations)
    costs = {key: statistics.median(each.microseconds() for each in measured)
             for key, measured in rounds.items()}
    for (name, count), cost in costs.items():
        sent = statistics.median(segments[name, count])
        report.say(f"   {name:8} {count:5,} connections: {cost:.1f} µs and {sent:.1f} segments "
                   "per request")
    ours = [cost for (name, _), cost in costs.items() if name == "gateway"]
    growth = costs["nginx", many] / costs["nginx", few]
    fewest, most = (statistics.median(segments["gateway", count]) for count in (few, many))
    report.add(Row(f"gateway, {many:,} connections: processor time of the cheapest number's",
                   max(ours) / min(ours), "", must=1.5, below=True,
                   note=f"{min(ours):.1f} to {max(ours):.1f} µs, {fewest:.1f} to {most:.1f} "
                        f"segments; nginx from {few} to {many:,} connections: "
                        f"{growth:.2f} times"))
    return statistics.median(each.rate for each in rounds["gateway", few])


def _half(report, contest, directory, rate):
    """The latency of requests at half of the rate that the gateway reached."""
    prioritise(contest.backend)
    load = Paced(f"http://127.0.0.1:{contest.gateway_ports[0]}{GET_PATH}", bearer(contest.token),
                 {}, rate / 2, directory, core=LOAD_CORE, secrets={contest.token: "$TOKEN"})
    report.begin("a GET at half of that rate", [load.shown(SECONDS)])
    load.measure(1)
    slow, halves = [], []
    for _ in range(ROUNDS):
        measured = load.measure(SECONDS)
        if not 0.35 * rate < measured.rate < 0.65 * rate:
            raise BenchFailure(f"the load was {measured.rate:,.0f} requests a second, not half of "
                               f"{rate:,.0f}")
        slow.append(load.percentile(99))
        halves.append(load.percentile(50))
    report.add(Row("gateway at half of its rate: 99 % of requests", statistics.median(slow), "ms",
                   must=5, below=True,
                   note=f"rounds {min(slow):.2f} to {max(slow):.2f}; half of the requests in "
                        f"{statistics.median(halves):.2f} ms"))
