"""The gateway compared with nginx, HAProxy and Envoy: same backend, same core, same work."""

import json
import os
import secrets
import ssl
import urllib.request

from load import H2Load, Wrk
from processes import BenchFailure, RunningTogether, free_ports, pinned
from report import Row
from rounds import QUICK, SECONDS, alternate, ratio

PROXY_CORE, LOAD_CORE = 0, 1
# All that the proxies know; the loads of many clients have them in turn.
TOKENS = 1_000 if QUICK else 10_000
POST_PATH, POST_BODY = "/settings/single/data", b'{"types":["heartRate"],"enabled":[true]}'
GET_PATH = "/data/quota"
# As programs with tracing send it. Each request of a load has the same, because h2load has fixed
# fields.
TRACE = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
COOKIE = "__Host-trackme"
PEERS = {"nginx": "nginx", "haproxy": "HAProxy", "envoy": "Envoy"}
# Installed by deploy/setup.sh bench (Tests/Bench/requirements.txt).
ENVOY = "envoy"

NGINX = """
daemon off; master_process off; worker_processes 1; pid {directory}/nginx.pid;
error_log {directory}/nginx.error;
events {{ worker_connections 16384; }}
http {{
  log_format line escape=json '{{"time":"$time_iso8601","request_id":"$request_id",'
    '"method":"$request_method","status":$status,"duration":$request_time,'
    '"bytes":$body_bytes_sent}}';
  access_log /dev/null line buffer=64k;
  client_body_temp_path {directory}; proxy_temp_path {directory};
  fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
  map_hash_bucket_size 256; map_hash_max_size 65536;
  map $http_authorization$http_cookie $is_known {{ default 0; include {directory}/tokens.map; }}
  client_max_body_size 0; proxy_request_buffering off; proxy_max_temp_file_size 0;
  keepalive_requests 1000000000;
  upstream backend {{
    server unix:{backend}; keepalive 128; keepalive_requests 1000000000;
  }}
  server {{
    listen 127.0.0.1:{plain} backlog=1024;
    listen 127.0.0.1:{secure} ssl http2 backlog=1024;
    ssl_certificate {certificate}; ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    location / {{
      if ($is_known = 0) {{ return 401; }}
      proxy_pass http://backend; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header Host $host;
      proxy_set_header X-Request-ID $request_id;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      add_header X-Content-Type-Options nosniff; add_header X-Request-ID $request_id;
    }}
  }}
}}
"""

HAPROXY = """
global
  nbthread 1
  maxconn 1024
  log stdout format raw local0
  tune.ssl.cachesize 20000
defaults
  mode http
  log global
  log-format '{{"time":"%trl","request_id":"%ID","method":"%HM","status":%ST,"duration":%Ta,\
"bytes":%B}}'
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
  option http-keep-alive
  http-reuse always
  unique-id-format %[uuid()]
  unique-id-header X-Request-ID
frontend public
  bind 127.0.0.1:{plain}
  bind 127.0.0.1:{secure} ssl crt {directory}/haproxy.pem alpn h2,http/1.1 ssl-min-ver TLSv1.2
  http-request deny deny_status 401 unless {{ req.hdr(authorization),word(2,' '),\
map_str({directory}/haproxy.map) -m found }} or {{ req.cook({cookie}),\
map_str({directory}/haproxy.map) -m found }}
  option forwardfor
  http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]
  http-response set-header X-Content-Type-Options nosniff
  http-response set-header X-Request-ID %[unique-id]
  default_backend services
backend services
  server backend unix@{backend} pool-max-conn 128
"""


def envoy_configuration(directory, backend, ports, certificate, key):
    """Envoy with one worker. It has no map of tokens: its Lua has."""
    api = "type.googleapis.com/envoy.extensions"
    line = {"time": "%START_TIME%", "request_id": "%REQ(X-REQUEST-ID)%",
            "method": "%REQ(:METHOD)%", "status": "%RESPONSE_CODE%", "duration": "%DURATION%",
            "bytes": "%BYTES_SENT%"}
    manager = {
        "@type": f"{api}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "public", "use_remote_address": True,
        "always_set_request_id_in_response": True,
        "access_log": [{"name": "file", "typed_config": {
            "@type": f"{api}.access_loggers.file.v3.FileAccessLog", "path": "/dev/null",
            "log_format": {"json_format": line}}}],
        "http_filters": [
            {"name": "tokens", "typed_config": {
                "@type": f"{api}.filters.http.lua.v3.Lua",
                "default_source_code": {"filename": f"{directory}/tokens.lua"}}},
            {"name": "router", "typed_config": {
                "@type": f"{api}.filters.http.router.v3.Router"}}],
        "route_config": {
            "response_headers_to_add": [
                {"header": {"key": "X-Content-Type-Options", "value": "nosniff"}}],
            "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
                {"match": {"prefix": "/"}, "route": {"cluster": "backend"}}]}]}}
    tls = {
        "@type": f"{api}.transport_sockets.tls.v3.DownstreamTlsContext",
        "common_tls_context": {
            "alpn_protocols": ["h2", "http/1.1"],
            "tls_certificates": [{"certificate_chain": {"filename": certificate},
                                  "private_key": {"filename": key}}]}}

    def listener(port, socket):
        return {
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
            "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}], **socket}]}

    secure = {"transport_socket": {"name": "tls", "typed_config": tls}}
    limits = {"max_connections": 1024, "max_pending_requests": 8192, "max_requests": 8192}
    return json.dumps({"static_resources": {
        "listeners": [listener(ports[0], {}), listener(ports[1], secure)],
        "clusters": [{
            "name": "backend", "circuit_breakers": {"thresholds": [limits]},
            "load_assignment": {"cluster_name": "backend", "endpoints": [{"lb_endpoints": [
                {"endpoint": {"address": {"pipe": {"path": backend}}}}]}]}}]}})


def answers(url, fields):
    """Whether a GET is answered with 200."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        request = urllib.request.Request(url, headers=fields)
        with urllib.request.urlopen(request, timeout=5, context=context) as answer:
            return answer.status == 200
    except OSError:
        return False


# Every request has the head of another client than the one before.
IN_TURN = """
local requests, turn = {}, 0
function init(arguments)
  for token in io.lines(arguments[1]) do
    wrk.headers["Authorization"] = "Bearer " .. token
    requests[#requests + 1] = wrk.format()
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
"""


def write_token_map(directory, known):
    """The real tokens, among others of their length."""
    tokens = [f"tms_{secrets.token_urlsafe(48)}" for _ in range(TOKENS - len(known))]
    tokens[len(tokens) // 2:len(tokens) // 2] = known
    with open(f"{directory}/tokens.map", "w", encoding="ascii") as file:
        file.writelines(f'"Bearer {each}" 1;\n"{COOKIE}={each}" 1;\n' for each in tokens)
    with open(f"{directory}/haproxy.map", "w", encoding="ascii") as file:
        file.writelines(f"{each} 1\n" for each in tokens)
    with open(f"{directory}/tokens.lua", "w", encoding="ascii") as file:
        file.write("local known = {\n")
        file.writelines(f'["Bearer {each}"] = true, ["{COOKIE}={each}"] = true,\n'
                        for each in tokens)
        file.write("""}
function envoy_on_request(handle)
  local headers = handle:headers()
  if not known[headers:get("authorization") or headers:get("cookie") or ""] then
    handle:respond({[":status"] = "401"}, "")
  end
end
""")


# As ServiceProgram, the compose file and the units of systemd set it for gateway and services.
ALLOCATOR = ("glibc.malloc.tcache_count=4096:glibc.malloc.trim_threshold=8388608"
             ":glibc.malloc.mmap_threshold=2097152")


def gateway_settings(system, ports, socket):
    """The environment of a gateway with one loop in front of the backend at `socket`. `ports` are
    those of HTTP, HTTPS and the metrics."""
    http, https, metrics = ports
    return dict(
        os.environ, TRACKME_STATE=system.state, TRACKME_HTTP_PORT=str(http),
        TRACKME_HTTPS_PORT=str(https), TRACKME_METRICS_PORT=str(metrics),
        TRACKME_LOOPS="1", TRACKME_RATE_LIMITS="checked",
        TRACKME_DATABASE_URL_FILE=system.url_file("gateway"),
        TRACKME_DATA4HELP_ADDRESSES=f"unix:{socket}",
        TRACKME_TRACK4RUN_ADDRESSES=f"unix:{socket}",
        GLIBC_TUNABLES=ALLOCATOR)


class Contest(RunningTogether):
    """The proxies in front of one backend, during the scope."""

    def __init__(self, system, directory, token, others=()):
        super().__init__()
        self.system = system
        self.directory = directory
        self.token = token
        self.tokens = [token, *others]
        # The paths of sockets must be short.
        self.socket = f"{directory}/backend.sock"
        # All at once: a port that one call returns is free again for the next one.
        ports = free_ports(9)
        self.gateway_ports, self.nginx_ports = ports[:3], ports[3:5]
        self.haproxy_ports, self.envoy_ports = ports[5:7], ports[7:]

    def _start(self):
        system, directory = self.system, self.directory
        self.backend = self._begin(
            pinned(LOAD_CORE, [system.program("trackme-lab"), "bench", "backend",
                               f"unix:{self.socket}"]),
            environment=dict(os.environ, GLIBC_TUNABLES=ALLOCATOR),
            errors=f"{directory}/backend.errors")
        self.backend.wait_until(lambda: os.path.exists(self.socket), "the backend's socket")
        self.gateway = self._begin(
            pinned(PROXY_CORE, [system.program("gateway")]),
            environment=gateway_settings(system, self.gateway_ports, self.socket))
        write_token_map(directory, self.tokens)
        plain, secure = self.nginx_ports
        with open(f"{directory}/nginx.conf", "w", encoding="ascii") as file:
            file.write(NGINX.format(
                directory=directory, backend=self.socket, plain=plain, secure=secure,
                certificate=f"{system.state}/tls/certificate.pem",
                key=f"{system.state}/tls/key.pem"))
        self.nginx = self._begin(
            pinned(PROXY_CORE, ["nginx", "-p", directory, "-c", f"{directory}/nginx.conf"]),
            errors=f"{directory}/nginx.start")
        plain, secure = self.haproxy_ports
        with open(f"{directory}/haproxy.pem", "w", encoding="ascii") as file:
            for name in ("certificate", "key"):
                with open(f"{system.state}/tls/{name}.pem", encoding="ascii") as part:
                    file.write(part.read())
        with open(f"{directory}/haproxy.conf", "w", encoding="ascii") as file:
            file.write(HAPROXY.format(
                directory=directory, backend=self.socket, plain=plain, secure=secure,
                cookie=COOKIE))
        self.haproxy = self._begin(
            pinned(PROXY_CORE, ["haproxy", "-f", f"{directory}/haproxy.conf"]),
            errors=f"{directory}/haproxy.start")
        with open(f"{directory}/envoy.json", "w", encoding="ascii") as file:
            file.write(envoy_configuration(
                directory, self.socket, self.envoy_ports, f"{system.state}/tls/certificate.pem",
                f"{system.state}/tls/key.pem"))
        self.envoy = self._begin(
            pinned(PROXY_CORE, [ENVOY, "--concurrency", "1", "--disable-hot-restart",
                                "--log-level", "error", "-c", f"{directory}/envoy.json"]),
            errors=f"{directory}/envoy.start")
        fields = {"Authorization": f"Bearer {self.token}"}
        for process, port in ((self.gateway, self.gateway_ports[0]),
                              (self.nginx, self.nginx_ports[0]), (self.haproxy, plain),
                              (self.envoy, self.envoy_ports[0])):
            process.wait_until(
                lambda port=port: answers(f"http://127.0.0.1:{port}{GET_PATH}", fields),
                f"an answer from {process.command[3]}")


def bearer(token):
    """The fields of a program's requests."""
    return [f"Authorization: Bearer {token}", TRACE]


def browser(token):
    """The fields of a page's requests, which the gateway accepts over TLS only."""
    return [f"Cookie: {COOKIE}={token}", "Sec-Fetch-Site: same-origin", TRACE]


def contests(contest):
    """Title, bound and aim of the processor time as a part of nginx's, and the loads of each
    comparison."""
    secrets_shown = {contest.token: "$TOKEN"}
    body = f"{contest.directory}/body.json"
    script = f"{contest.directory}/post.lua"
    with open(body, "wb") as file:
        file.write(POST_BODY)
    post = (f"wrk.method = 'POST'\nwrk.body = '{POST_BODY.decode()}'\n"
            "wrk.headers['Content-Type'] = 'application/json'\n")
    with open(script, "w", encoding="ascii") as file:
        file.write(post)

    def each_side(make):
        return [
            make(ports, {name: [(process.pid, False)]})
            for name, process, ports in (
                ("gateway", contest.gateway, contest.gateway_ports),
                ("nginx", contest.nginx, contest.nginx_ports),
                ("haproxy", contest.haproxy, contest.haproxy_ports),
                ("envoy", contest.envoy, contest.envoy_ports))
        ]

    def wrk(scheme, path, lua=None):
        def make(ports, processes):
            is_secure = scheme == "https"
            fields = browser(contest.token) if is_secure else bearer(contest.token)
            return Wrk(
                f"{scheme}://127.0.0.1:{ports[is_secure]}{path}", fields, processes, script=lua,
                core=LOAD_CORE, secrets=secrets_shown)
        return each_side(make)

    def h2load(ports, processes):
        return H2Load(
            f"https://127.0.0.1:{ports[1]}{POST_PATH}",
            browser(contest.token) + ["Content-Type: application/json"], processes, body=body,
            core=LOAD_CORE, secrets=secrets_shown)

    def in_turn(path, lua):
        """Of gateway and nginx alone."""
        clients = f"{contest.directory}/clients"
        with open(clients, "w", encoding="ascii") as file:
            file.writelines(f"{each}\n" for each in contest.tokens)
        turning = f"{contest.directory}/turn{path.replace('/', '-')}.lua"
        with open(turning, "w", encoding="ascii") as file:
            file.write(lua + IN_TURN)
        return each_side(lambda ports, processes: Wrk(
            f"http://127.0.0.1:{ports[0]}{path}", [TRACE], processes, script=turning,
            arguments=[clients], core=LOAD_CORE))[:2]

    return [
        (f"GET, HTTP/1.1, {TOKENS:,} clients in turn", None, None, in_turn(GET_PATH, "")),
        (f"POST, HTTP/1.1, {TOKENS:,} clients in turn", None, None, in_turn(POST_PATH, post)),
        ("POST, HTTP/1.1, 64 connections", 0.85, 0.6, wrk("http", POST_PATH, script)),
        ("POST, HTTP/2 over TLS, 8 x 16", 0.35, 0.15, each_side(h2load)),
        ("POST, HTTP/1.1 over TLS 1.3, 64", 0.85, 0.65, wrk("https", POST_PATH, script)),
        ("GET, HTTP/1.1, 64 connections", 0.8, 0.55, wrk("http", GET_PATH)),
    ]


def measure(report, system, directory, tokens):
    """All comparisons."""
    with Contest(system, directory, tokens[0], tokens[1:TOKENS]) as contest:
        for title, must, aim, loads in contests(contest):
            peers = list(PEERS.values())[:len(loads) - 1]
            report.begin(f"gateway beside {', '.join(peers)}: {title}",
                         [load.shown(SECONDS) for load in loads])
            sides = alternate(*(
                (name, lambda warm, load=load: load.measure(1 if warm else SECONDS))
                for name, load in zip(("gateway", *PEERS), loads)))
            for side in sides:
                if side.microseconds() == 0:
                    raise BenchFailure(f"{side.name} did nothing: another process answers its port")
                low, high = side.spread(lambda each: each.microseconds())
                report.say(f"   {side.name:8} {side.microseconds():6.2f} µs per request "
                           f"({low:.2f} to {high:.2f}), {side.rate():,.0f} requests/s")
            gateway, *peers = sides
            for peer in peers:
                middle, low, high = ratio(gateway, peer, lambda each: each.microseconds())
                bounds = {"must": must, "aim": aim} if peer.name == "nginx" else {}
                report.add(Row(
                    f"gateway, {title}: processor time of {PEERS[peer.name]}'s", middle, "",
                    below=True, **bounds,
                    note=f"{gateway.microseconds():.1f} of {peer.microseconds():.1f} µs, "
                         f"rounds {low:.2f} to {high:.2f}"))
