"""Alerts, dashboards and runbooks (OPS-8): the rules are valid and each alert is raised once, every
metric that they name exists, each alert has a runbook, and every query of a dashboard returns data.

usage: monitoring.py [rules|names|local|deployed]...   (default: rules names)

  rules     promtool and amtool on the files, without a running system
  names     metrics, endpoints, dashboards and runbooks against the sources
  local     a real Prometheus with its exporters beside a system that `trackme start` starts from
            MONITORED_PROGRAMS (.build/release)
  deployed  the Prometheus of a deployment that runs, as root
"""

import json
import pathlib
import re
import subprocess
import sys

import yaml

from deployment import STATE, router
from monitored import Monitored, use
from results import conclude, least, most, store

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "deploy/monitoring"
RUNBOOKS = ROOT / "docs/runbooks"
# Metrics of other programs, and the job that has them. `local` reads all but those of etcd.
EXPORTED = {
    "up": "prometheus",
    "probe_success": "public", "probe_ssl_earliest_cert_expiry": "public",
    "etcd_server_has_leader": "etcd",
    "node_cpu_seconds_total": "machine", "node_memory_MemAvailable_bytes": "machine",
    "node_memory_MemTotal_bytes": "machine", "node_filesystem_avail_bytes": "machine",
    "node_filesystem_size_bytes": "machine",
    "pg_up": "postgresql", "pg_settings_max_connections": "postgresql",
    "pg_locks_count": "postgresql", "pg_database_size_bytes": "postgresql",
    "pg_stat_activity_count": "postgresql", "pg_stat_activity_max_tx_duration": "postgresql",
    "pg_stat_archiver_failed_count": "postgresql",
    "pg_stat_bgwriter_checkpoints_timed_total": "postgresql",
    "pg_stat_bgwriter_checkpoints_req_total": "postgresql",
    "pg_stat_database_xact_commit": "postgresql", "pg_stat_database_xact_rollback": "postgresql",
    "pg_stat_database_tup_inserted": "postgresql", "pg_stat_database_tup_updated": "postgresql",
    "pg_stat_database_tup_deleted": "postgresql", "pg_stat_database_blks_hit": "postgresql",
    "pg_stat_database_blks_read": "postgresql", "pg_stat_database_deadlocks": "postgresql",
    "pg_stat_database_temp_bytes": "postgresql",
    "pg_stat_database_checksum_failures": "postgresql",
}
KEYWORDS = {"by", "without", "on", "ignoring", "and", "or", "unless", "bool", "offset", "vector"}
SEVERITIES = {"critical", "warning"}


# --- files ---------------------------------------------------------------------------------------

def alerts():
    groups = yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboards():
    return {path.stem: json.loads(path.read_text())
            for path in sorted((FILES / "grafana/dashboards").glob("*.json"))}


def dashboard_queries():
    """The queries of all dashboards: dashboard, panel, query."""
    return [(name, panel, target["expr"]) for name, board in dashboards().items()
            for panel in board["panels"] for target in panel.get("targets", [])]


def metrics_of(query):
    """The names of metrics in a query."""
    bare = re.sub(r'"(\\.|[^"\\])*"', '""', query)
    bare = re.sub(r"\{[^}]*\}", "", bare)
    bare = re.sub(r"\b(by|without|on|ignoring)\s*\([^)]*\)", "", bare)
    bare = re.sub(r"\[[^]]*\]", "", bare)
    return {name for name in re.findall(r"(?<![\w.])[a-zA-Z_:][\w:]*(?!\w*\s*\()", bare)
            if name not in KEYWORDS}


def registered():
    """The metrics that the services register."""
    kinds, literals = {}, set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        text = path.read_text()
        # Roles, databases and the channel of announcements are no metrics.
        literals |= set(re.findall(r'"(trackme_(?!owner|keys|handover)[a-z0-9_]+)"', text))
        for kind, name in re.findall(
                r'\.(counter|gauge|reading|histogram)\(\s*"(trackme_[a-z0-9_]+)"', text):
            kinds[name] = kind
    assert set(kinds) == literals, f"not registered: {literals ^ set(kinds)}"
    names = {name for name, kind in kinds.items() if kind != "histogram"}
    return names | {f"{name}_{part}" for name, kind in kinds.items() if kind == "histogram"
                    for part in ("bucket", "sum", "count")}


def queried():
    """The metrics of the exporter's own queries."""
    spaces = yaml.safe_load((FILES / "queries-data.yaml").read_text())
    return {f"{space}_{column}" for space, query in spaces.items()
            for metric in query["metrics"] for column, options in metric.items()
            if options["usage"] != "LABEL"}


def endpoints():
    """The values of the label `endpoint`."""
    names = {"none", "page"}
    for path in (ROOT / "Sources/PublicAPI/Endpoints").glob("*.swift"):
        names |= set(re.findall(r'Endpoint\.\w+\(\s*"[^"]*",\s*"(\w+)"', path.read_text()))
    return names


# --- rules ---------------------------------------------------------------------------------------

def check_rules(_):
    for command in (
            ["promtool", "check", "config", "--syntax-only", str(FILES / "prometheus.yaml")],
            ["amtool", "check-config", str(FILES / "alertmanager.yaml")],
            ["promtool", "test", "rules",
             str(ROOT / "Tests/Deployment/monitoring/alerts.test.yaml")]):
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            yield f"{' '.join(command[:3])}: {(outcome.stdout + outcome.stderr).strip()[-2000:]}"
    tests = yaml.safe_load(
        (ROOT / "Tests/Deployment/monitoring/alerts.test.yaml").read_text())["tests"]
    titles = [test["name"] for test in tests]
    for alert in alerts():
        for outcome in ("raised", "silent"):
            if not any(title.startswith(f"{alert['alert']}, {outcome}") for title in titles):
                yield f"{alert['alert']} is never {outcome} in alerts.test.yaml"
    print(f"{len(alerts())} alerts, {len(tests)} tests")


# --- names ---------------------------------------------------------------------------------------

def check_names(_):
    known = registered() | queried() | set(EXPORTED)
    named = [(alert["alert"], alert["expr"]) for alert in alerts()]
    named += [(f"{board}, {panel['title']}", query)
              for board, panel, query in dashboard_queries()]
    used = set()
    for place, query in named:
        used |= metrics_of(query)
        for metric in sorted(metrics_of(query) - known):
            yield f"{place}: no source and no exporter has {metric}"
        yield from (f"{place}: {fault}" for fault in endpoint_faults(query))
    for metric in sorted(set(EXPORTED) - used):
        yield f"{metric} is listed and not used"
    yield from dashboard_faults()
    yield from runbook_faults()
    yield from key_query_faults()
    print(f"{len(used)} metrics in {len(named)} queries")


def endpoint_faults(query):
    names = endpoints()
    for matcher, value in re.findall(r'endpoint(=~|!~|=|!=)"([^"]*)"', query):
        for pattern in value.split("|") if "~" in matcher else [re.escape(value)]:
            if not any(re.fullmatch(pattern, name) for name in names):
                yield f"no endpoint is called {pattern}"


def dashboard_faults():
    boards = dashboards()
    if set(boards) != {"traffic", "emergencies", "groups", "database"}:
        yield f"dashboards: {sorted(boards)}"
    source = yaml.safe_load(
        (FILES / "grafana/provisioning/datasources/prometheus.yaml").read_text())
    uid = source["datasources"][0]["uid"]
    for name, board in boards.items():
        if board["uid"] != f"trackme-{name}":
            yield f"{name}.json has the uid {board['uid']}"
        numbers = [panel["id"] for panel in board["panels"]]
        if len(numbers) != len(set(numbers)):
            yield f"{name}.json: two panels with one id"
        for panel in board["panels"]:
            if panel["type"] != "row" and panel["datasource"]["uid"] != uid:
                yield f"{name}.json, {panel['title']}: another data source"
            if panel["type"] != "row" and not panel.get("description"):
                yield f"{name}.json, {panel['title']}: no description"


def runbook_faults():
    """Each alert has a runbook of its name, and each runbook an alert and a row in the list."""
    expected = set()
    rows = (RUNBOOKS / "README.md").read_text().splitlines()
    for alert in alerts():
        name, severity = alert["alert"], alert["labels"]["severity"]
        path = "docs/runbooks/" + re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() + ".md"
        expected.add(path)
        if severity not in SEVERITIES:
            yield f"{name} has the severity {severity}"
        if alert["annotations"].get("runbook") != path:
            yield f"{name}: its runbook must be {path}"
        if not {"summary", "description"} <= set(alert["annotations"]):
            yield f"{name} has no summary or no description"
        if not (ROOT / path).exists():
            yield f"{path} is missing"
            continue
        text = (ROOT / path).read_text()
        if not text.startswith(f"# {name}\n"):
            yield f"{path} must begin with the name of its alert"
        for title in ("Meaning", "First checks", "Mending", "Afterwards"):
            if f"\n## {title}\n" not in text:
                yield f"{path} has no section {title!r}"
        row = f"| [{name}]({pathlib.Path(path).name}) | {severity} |"
        if not any(line.startswith(row) for line in rows):
            yield f"docs/runbooks/README.md has no row for {name}, {severity}"
    for path in RUNBOOKS.glob("*.md"):
        if path.name != "README.md" and f"docs/runbooks/{path.name}" not in expected:
            yield f"docs/runbooks/{path.name} belongs to no alert"


def key_query_faults():
    """The servers of the keys get the part of the queries that needs no table."""
    data = yaml.safe_load((FILES / "queries-data.yaml").read_text())
    keys = yaml.safe_load((FILES / "queries-keys.yaml").read_text())
    if any(data.get(space) != query for space, query in keys.items()):
        yield "queries-data.yaml does not repeat queries-keys.yaml"


# --- queries -------------------------------------------------------------------------------------

def check_queries(ask):
    """Every query of a dashboard returns data: `ask` returns the values of a query."""
    count = 0
    for board, panel, query in dashboard_queries():
        count += 1
        values = ask(query)
        may_be_empty = "empty without" in panel["description"]
        if not values or (all(value == "NaN" for value in values) and not may_be_empty):
            yield f"{board}, {panel['title']}: {'NaN' if values else 'no data'} for {query}"
    print(f"{count} queries of {len(dashboards())} dashboards")


def check_local(root):
    with Monitored(root, FILES) as system:
        yield from check_queries(system.ask)
        yield from system.faults(
            [metric for metric, job in EXPORTED.items() if job != "etcd"] + sorted(queried()),
            RUNBOOKS)


def check_deployed(_):
    def ask(query):
        body = router("curl", "-sf", "--data-urlencode", f"query={query}",
                      "http://10.91.8.11:9090/api/v1/query")
        return [sample["value"][1] for sample in json.loads(body)["data"]["result"]]

    # Rounds of the length of a scrape.
    use([line.split() for line in (STATE / "logins").read_text().splitlines()], pause=15)
    targets = json.loads(router("curl", "-sf", "http://10.91.8.11:9090/api/v1/targets"))
    for target in targets["data"]["activeTargets"]:
        if target["health"] != "up":
            yield f"{target['scrapeUrl']}: {target['lastError']}"
    probed = json.loads((FILES / "certificates.json").read_text())
    answered = ask('sum(probe_success{job="certificates"})')
    if answered != [str(len(probed))]:
        yield f"{answered} of {len(probed)} probes of certificates succeed"
    yield from check_queries(ask)


def main(chosen, is_whole):
    parts = {"rules": check_rules, "names": check_names, "local": check_local,
             "deployed": check_deployed}
    if not set(chosen) <= set(parts):
        sys.exit(__doc__)
    faults = []
    for part in chosen:
        faults += [f"{part}: {fault}" for fault in parts[part](ROOT)]
    for fault in faults:
        print(fault)
    if is_whole:
        store("monitoring", most("faults", len(faults), 0), least("alerts", len(alerts()), 45),
              least("queries of dashboards", len(dashboard_queries()), 104))
    print("monitoring: " + (f"{len(faults)} faults" if faults else "as required"))
    return 1 if faults else 0


if __name__ == "__main__":
    CHOSEN = sys.argv[1:] or ["rules", "names"]
    # Fewer parts are no evidence.
    IS_WHOLE = {"rules", "names", "deployed"} <= set(CHOSEN)
    conclude("monitoring", lambda: main(CHOSEN, IS_WHOLE), is_kept=IS_WHOLE)
