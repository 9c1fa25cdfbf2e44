"""The parts of an accepted call for each endpoint, new ones each time."""

import datetime
import functools
import http.server
import io
import itertools
import json
import random
import threading
import time
import uuid

import PIL.Image

import people

_count = itertools.count()
_runs = itertools.count()
_pick = random.Random(people.RUN)
_GRANULARITIES = ["raw", "hour", "day", "week", "month"]
_EXPORT = """<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_IT">
 <ExportDate value="2024-03-01 08:00:00 +0100"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min"
  startDate="2024-02-29 08:30:{second:02d} +0100" endDate="2024-02-29 08:30:{second:02d} +0100"
  value="{value}"/>
</HealthData>
"""


class Endpoint(http.server.BaseHTTPRequestHandler):
    """A third party's endpoint that answers every challenge."""

    def do_POST(self):
        document = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(document["data"]).encode())

    def log_message(self, *arguments):
        pass


@functools.cache
def endpoint():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Cast:
    """The accounts of a run and their prepared data."""

    def __init__(self):
        self.person = people.Account.single_user()
        self.company = people.Account.third_party()
        # Separate accounts for choosing types, logging in and logging out, which affect others.
        self.chooser = people.Account.single_user()
        self.changing_company = people.Account.third_party()
        self.visitors = itertools.cycle(
            [people.Account.single_user(), people.Account.third_party()])
        self.person_token = self.person.log_in()
        self.company_token = self.company.log_in()
        self.chooser_token = self.chooser.log_in()
        self.changing_company_token = self.changing_company.log_in()
        people.call("POST", "/data/upload", self.person_token, json=upload(40))
        started = people.call(
            "POST", "/data/import?format=apple-health", self.person_token,
            data=start_import()["body"])
        self.import_id = started["importID"]
        self.request = self.accepted_request()
        self.called_company = people.Account.third_party()
        self.called_company_token = self.called_company.log_in()
        people.call(
            "POST", "/req/tp/callback", self.called_company_token, json={"url": endpoint()})
        # Separate accounts for devices and for keys, because each has its own limits.
        self.pairing_token = people.Account.single_user().log_in()
        self.owner_token = people.Account.single_user().log_in()
        self.revoking_token = people.Account.third_party().log_in()
        # A monitored person who raises alerts, and a hospital that answers emergencies of others.
        self.guarded_token = monitored()
        self.hospital_token = people.Account.third_party().log_in()
        people.call(
            "POST", "/sos/duty", self.hospital_token,
            json={"onDuty": True, "coordinate": HOSPITAL})
        self.key = people.call(
            "POST", "/auth/keys", self.company_token, json={"name": "fuzzed"})["key"]
        self.device_token = self.paired_device()["deviceToken"]

    def token(self, operation, schemes):
        """The token for this call."""
        if operation == "logout":
            return next(self.visitors).log_in()
        if operation == "deleteAccount":
            return people.Account.single_user().log_in()
        if operation in (
                "chooseImportedTypes", "readImportedTypes", "pauseCollection", "eraseSamples",
                "changeSingleUser", "chooseStatus", "readSingleUser"):
            return self.chooser_token
        if operation in ("changeThirdParty", "readThirdParty"):
            return self.changing_company_token
        if operation == "beginDrill":
            return monitored()
        if operation == "raiseAlert":
            return self.guarded_token
        if operation in ("acknowledgeCall", "closeCall"):
            return self.hospital_token
        if operation == "confirmPairing":
            return self.pairing_token
        if operation in ("listDevices", "removeDevice", "assignDevice"):
            return self.owner_token
        if operation in ("listKeys", "revokeKey"):
            return self.revoking_token
        if operation in ("pushSubscriptions", "storePushSubscription", "removePushSubscription"):
            return self.owner_token
        if operation in ("readCallback", "testCallback", "resendCallback", "callbackLog",
                         "rotateCallbackSecret"):
            return self.called_company_token
        kinds = [
            token
            for name, token in (
                ("singleUser", self.person_token), ("thirdParty", self.company_token),
                ("program", self.key), ("device", self.device_token))
            if name in schemes
        ]
        return kinds[next(_count) % len(kinds)]

    def push_subscription(self):
        """A new push subscription of the owner."""
        return people.call(
            "POST", "/notifications/push", self.owner_token,
            json=push_subscription())["subscriptionID"]

    def paired_device(self):
        """A new device of the owner, with its token; removes the others at the limit."""
        old = people.call("GET", "/devices", self.owner_token)["devices"]
        for device in old[1:] if len(old) > 15 else []:
            people.call("DELETE", f"/devices/{device['deviceID']}", self.owner_token)
        begun = people.call("POST", "/devices/pair/start", json=device_to_pair())
        people.call(
            "POST", "/devices/pair/confirm", self.owner_token,
            json={"code": begun["code"], "accept": True})
        return people.call(
            "POST", "/devices/pair/finish",
            json={name: begun[name] for name in ("pairingID", "pairingSecret")})

    def new_key(self):
        """A new key of the revoking company; removes the others at the limit."""
        old = people.call("GET", "/auth/keys", self.revoking_token)["keys"]
        for key in old if len(old) > 15 else []:
            people.call("DELETE", f"/auth/keys/{key['keyID']}", self.revoking_token)
        return people.call("POST", "/auth/keys", self.revoking_token, json={"name": "old"})["keyID"]

    def run(self, listed=True):
        """A new run of the company, on its own day."""
        made = people.call("POST", "/t4r/org/create", self.company_token, json=run_to_make())
        if listed:
            people.call(
                "POST", "/t4r/org/path", self.company_token,
                json={"runID": made["runID"], "path": path_of_run()})
        return made["runID"]

    @functools.cached_property
    def watched_run(self):
        """A listed run that is never changed."""
        return self.run()

    @functools.cached_property
    def run_with_clauses(self):
        """A listed run with clauses to accept."""
        run = self.run()
        people.call(
            "POST", "/t4r/org/update", self.company_token,
            json={"runID": run, "clauses": "Run at your own risk."})
        return run

    @functools.cached_property
    def listed_code(self):
        """The code of a listed run."""
        made = people.call("POST", "/t4r/org/create", self.company_token, json=run_to_make())
        return people.call(
            "POST", "/t4r/org/path", self.company_token,
            json={"runID": made["runID"], "path": path_of_run()})["code"]

    @functools.cached_property
    def pictured_code(self):
        """The code of a run with a picture."""
        run = people.call("GET", f"/t4r/run/{self.listed_code}")["runID"]
        people.call(
            "POST", f"/t4r/org/picture?runID={run}", self.company_token, data=picture())
        return self.listed_code

    @functools.cached_property
    def entered_run(self):
        """A run that the person joins for good, because a company can create 200 runs a day."""
        return self.joined_run()

    @functools.cached_property
    def undrawn_run(self):
        """A run that never gets a path."""
        return self.run(False)

    def joined_run(self):
        run = self.run()
        people.call("POST", "/t4r/active/join", self.person_token, json={"runID": run})
        return run

    def pending_request(self):
        answer = people.call(
            "POST", "/req/tp/sendSingle", self.company_token, json=request_for(self.person))
        return answer["reqID"]

    def accepted_request(self):
        """A request without a price: no subscription."""
        body = request_for(self.person) | {"subscribing": False}
        body.pop("duration", None)
        request = people.call(
            "POST", "/req/tp/sendSingle", self.company_token, json=body)["reqID"]
        people.call(
            "POST", "/req/single/choice", self.person_token,
            json={"reqID": request, "choice": "accept"})
        return request

    def unpaid_request(self):
        """An accepted subscription that awaits its payment."""
        request = request_for(self.person) | {"subscribing": True, "duration": 3600}
        answer = people.call("POST", "/req/tp/sendSingle", self.company_token, json=request)
        people.call(
            "POST", "/req/single/choice", self.person_token,
            json={"reqID": answer["reqID"], "choice": "accept"})
        return answer["reqID"]


@functools.cache
def cast():
    return Cast()


def moment(seconds=0):
    start = datetime.datetime(2024, 2, 1, 8, tzinfo=datetime.timezone.utc)
    return (start + datetime.timedelta(seconds=seconds)).isoformat()


def upload(count):
    times = [moment(60 * next(_count)) for _ in range(count)]
    kinds = [("heartRate", "71"), ("heartRate", 72.5), ("position", "45.4781,9.2273"), ("steps", 12)]
    samples = [kinds[index % len(kinds)] for index in range(count)]
    return {
        "dataTypes": [name for name, _ in samples],
        "values": [value for _, value in samples],
        "timestamp": times,
    }


def request_for(person):
    number = next(_count)
    request = {"dataTypes": ["heartRate", "steps"], "subscribing": number % 2 == 0}
    if number % 2 == 0:
        request["duration"] = 3600
    if number % 3 == 0:
        request["reqID"] = str(uuid.UUID(int=_pick.getrandbits(128), version=4))
    if number % 4 < 2:
        request["email"] = person.email
    else:
        request["fc"] = person.registration["fc"]
    return request


def answer_request():
    choice = _pick.choice([
        {"choice": "accept"}, {"choice": "decline"},
        {"choice": "accept", "dataTypes": ["heartRate"]},
    ])
    return {"body": {"reqID": cast().pending_request(), **choice}}


def choose_types():
    types = _pick.sample(["heartRate", "steps", "position", "ecg"], _pick.randint(1, 4))
    return {"body": {"types": types, "enabled": [_pick.random() < 0.5 for _ in types]}}


def pause():
    ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=_pick.randint(60, 86400))
    return {"body": {"until": _pick.choice([None, ahead.isoformat()])}}


HOSPITAL = "38.1157,13.3615"
# The tokens of people by emergency.
_owners = {}


def owner_of(body):
    """The token of the person whose emergency is in the body, if known."""
    emergency = body.get("episodeID") if isinstance(body, dict) else None
    return _owners.get(emergency) if isinstance(emergency, str) else None


def monitored():
    """The token of a new person monitored by AutomatedSOS."""
    token = people.Account.single_user().log_in()
    people.call("POST", "/sos/enable", token, json={"callPermission": True})
    return token


def ago(seconds):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (now - datetime.timedelta(seconds=seconds)).isoformat()


def alert():
    return {"body": {
        "rule": "heartRateHigh", "coordinate": "45.4781,9.2273", "readings": [
            {"dataType": "heartRate", "value": _pick.randint(150, 190), "timestamp": ago(0)}]}}


def suspected():
    """An emergency of a new person before any call; its owner aborts it."""
    token = monitored()
    emergency = people.call("POST", "/sos/alert", token, json=alert()["body"])["episodeID"]
    _owners[emergency] = token
    return {"body": {"episodeID": emergency}}


def dispatched():
    """An emergency of a new person for which the hospital was called, with the person's token."""
    token = monitored()
    body = alert()["body"] | {"coordinate": HOSPITAL}
    body["readings"] = [
        {"dataType": "heartRate", "value": 150, "timestamp": ago(4)}] + body["readings"]
    people.call("POST", "/sos/alert", token, json=body)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        emergency = people.call("GET", "/sos/history", token)["episodes"][0]
        if emergency["stage"] == "dispatched":
            return emergency["episodeID"], token
        time.sleep(0.05)
    raise RuntimeError("no hospital was called")


def false_alarm():
    emergency, token = dispatched()
    _owners[emergency] = token
    return {"body": {"episodeID": emergency}}


def call_to_close():
    emergency, _ = dispatched()
    people.call(
        "POST", "/sos/acknowledge", cast().hospital_token, json={"episodeID": emergency})
    return {"body": {"episodeID": emergency, "outcome": _pick.choice(["helped", "handed over"])}}


def choose_thresholds():
    """Thresholds within the safe bounds, or reset."""
    return {"body": _pick.choice([
        {"heartRateHigh": _pick.randint(110, 180), "heartRateLow": 42.5},
        {"systolicLow": 90, "systolicHigh": 160, "diastolicHigh": 95}, {"heartRateHigh": None}])}


def erase():
    query = _pick.choice([{}, {"type": "steps"}, {"to": moment()}])
    return {"query": query}


def change_person():
    fields = _pick.choice([
        {"phone": "+39 02 1234567", "residence": "Torino"}, {"phone": None, "height": 1.7},
        {"full_name": "Another Name", "occupation": "retired", "nationality": "IT"},
        {"diseases": [{"code": "E11.9"}, {"code": "asthma", "drugs": []}]},
    ])
    return {"body": {"password": people.PASSWORD, **fields}}


def change_company():
    fields = _pick.choice([
        {"sector": "Health", "coordinate": "45.4642,9.1900"}, {"payment_method": "card"},
        {"representative": {"full_name": "Laura Bianchi"}, "services": []},
        {"company_description": "Looks after lungs"},
    ])
    return {"body": {"password": people.PASSWORD, **fields}}


def delete_account():
    return {"body": {"password": people.PASSWORD, "confirm": "DELETE"}}


def reset_password():
    account = people.Account.single_user()
    token = people.reset_token(account.email)
    return {"body": {"token": token, "newPassword": people.PASSWORD}}


def open_password_reset():
    account = people.Account.single_user()
    return {"query": {"token": people.reset_token(account.email)}}


def contact_token():
    """The token of the link mailed to a new emergency contact."""
    token = people.Account.single_user().log_in()
    address = f"asked{next(_count)}@example.org"
    contacts = [{"name": "Anna", "email": address}]
    people.call("POST", "/sos/enable", token, json={"callPermission": True})
    people.call("POST", "/sos/contacts", token, json={"contacts": contacts})
    return people.mailed(address, rb"sos/contact\?token=([\w.-]+)")


def log_in():
    account = next(cast().visitors)
    return {"body": {"email": account.email, "password": people.PASSWORD, "replace": True}}


def series():
    query = {"type": _pick.choice(["heartRate", "steps"]), "granularity": _pick.choice(_GRANULARITIES)}
    if _pick.random() < 0.5:
        query |= {"from": moment(-86400), "to": moment(86400)}
    return {"query": query}


def start_import():
    number = next(_count)
    export = _EXPORT.format(second=number % 60, value=60 + number % 40)
    return {
        "query": {"format": "apple-health"}, "body": export.encode(),
        "media_type": "application/octet-stream",
    }


def read_import():
    return {"query": {"importID": cast().import_id}}


def delivered_data():
    formats = ["json", "csv", "ndjson", "fhir"]
    return {"query": {"reqID": cast().request, "format": _pick.choice(formats)}}


def activate():
    return {"query": {"activToken": people.activation_token(people.registered())}}


def device_to_pair():
    return {"name": f"Device {next(_count)}", "model": "F1", "types": ["heartRate", "steps", "position"]}


def confirm_pairing():
    code = people.call("POST", "/devices/pair/start", json=device_to_pair())["code"]
    return {"body": {"code": code}}


def finish_pairing():
    begun = people.call("POST", "/devices/pair/start", json=device_to_pair())
    return {"body": {name: begun[name] for name in ("pairingID", "pairingSecret")}}


def push_subscription():
    """One of eight browsers, with the keys of RFC 8291, appendix A."""
    return {
        "endpoint": f"https://push.example.net/{_pick.randint(1, 8)}",
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkN"
                  "toIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    }


def remove_device():
    return {"path": {"deviceID": int(cast().paired_device()["deviceID"])}}


def run_to_make():
    """A run at a time without another run, one of four on its day."""
    start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        hours=24 + 6 * next(_runs))
    return {
        "runName": "Fuzzed half", "startTime": start.isoformat(), "participants": 50,
        "endTime": (start + datetime.timedelta(hours=3)).isoformat(),
    }


def path_of_run():
    """A straight path, far enough from others of the same day."""
    north, east = round(38 + 8 * _pick.random(), 5), round(8 + 10 * _pick.random(), 5)
    return [{"coordinate": f"{north},{east}"}, {"coordinate": f"{north},{east + 0.0256:.5f}"}]


def update_run():
    change = _pick.choice([
        {}, {"runName": "Fuzzed marathon", "description": "", "place": "Lodi"},
        {"participants": 60}, run_to_make()])
    return {"body": {"runID": cast().run(), **change}}


def invitation(people_invited):
    return {"runID": cast().joined_run(), "emails": [
        f"guest{next(_count)}@example.org" for _ in range(people_invited)]}


def picture():
    """A small PNG."""
    drawn = io.BytesIO()
    PIL.Image.new("RGB", (_pick.randint(1, 40), 8)).save(drawn, "PNG")
    return drawn.getvalue()


def join_run():
    choice = _pick.choice([
        {}, {"runnerName": "Runner in red"}, {"showHealth": True, "findable": False}, {"findableByName": True}])
    return {"body": {"runID": cast().run(), **choice}}


def confirmation():
    """The broker's confirmation of a paid subscription; `hooks` signs it."""
    return {"body": {
        "id": f"evt_{next(_count)}", "object": "event", "type": "checkout.session.completed",
        "data": {"object": {
            "id": "cs_1", "client_reference_id": cast().unpaid_request(), "amount_total": 700,
            "currency": "eur", "payment_status": "paid"}}}}


# Endpoints without mandatory parameters accept an empty call.
BUILDERS = {
    "storeCallback": lambda: {"body": {"url": endpoint()}},
    "resendCallback": lambda: {"body": {"since": _pick.randint(0, 100)}},
    "readNotices": lambda: {"body": {"ids": _pick.sample(range(1, 100), 3)}},
    "chooseMailedNotices": lambda: {
        "body": {"kinds": _pick.sample(["request", "answer", "ended", "security"], 2)}},
    "storePushSubscription": lambda: {"body": push_subscription()},
    "removePushSubscription": lambda: {"path": {"subscriptionID": cast().push_subscription()}},
    "registerSingleUser": lambda: {"body": people.new_person()},
    "registerThirdParty": lambda: {"body": people.new_company()},
    "activate": activate,
    "resendActivation": lambda: {"body": {"email": cast().person.email}},
    "login": log_in,
    "forgotPassword": lambda: {"body": {"email": cast().chooser.email}},
    "openPasswordReset": open_password_reset,
    "resetPassword": reset_password,
    "changeSingleUser": change_person,
    "deleteAccount": delete_account,
    "chooseStatus": lambda: {"body": {"active": _pick.random() < 0.5}},
    "changeThirdParty": change_company,
    "chooseImportedTypes": choose_types,
    "choosePreconfirmed": lambda: {
        "body": {
            "piva": cast().changing_company.registration["piva"], "allowed": _pick.random() < 0.5,
        }
    },
    "pauseCollection": pause,
    "enableSOS": lambda: {
        "body": {"callPermission": True, "language": _pick.choice(["it", "en"])}},
    "chooseThresholds": choose_thresholds,
    "chooseContacts": lambda: {"body": {"contacts": [
        {"name": "Anna", "email": f"contact{number}@example.org", "phone": "+39 02 1234567"}
        for number in range(_pick.randint(0, 3))]}},
    "openContactLink": lambda: {"query": {"token": contact_token()}},
    "answerAsContact": lambda: {
        "body": {"token": contact_token(), "agree": _pick.random() < 0.5}},
    "pauseMonitoring": pause,
    "raiseAlert": alert,
    "abortEmergency": suspected,
    "reportFalseAlarm": false_alarm,
    "chooseDuty": lambda: {"body": _pick.choice([
        {"onDuty": False}, {"onDuty": True, "coordinate": "45.4781,9.2273"}])},
    "acknowledgeCall": lambda: {"body": {"episodeID": dispatched()[0]}},
    "closeCall": call_to_close,
    "eraseSamples": erase,
    "upload": lambda: {"body": upload(_pick.randint(1, 8))},
    "statistics": lambda: {"query": _pick.choice([{}, {"types": "heartRate,steps"}])},
    "series": series,
    "compare": lambda: {"query": {"type": _pick.choice(["heartRate", "steps"])}},
    "startImport": start_import,
    "readImport": read_import,
    "createKey": lambda: {"body": {"name": f"program {next(_count)}"}},
    "revokeKey": lambda: {"path": {"keyID": cast().new_key()}},
    "startPairing": lambda: {"body": device_to_pair()},
    "confirmPairing": confirm_pairing,
    "finishPairing": finish_pairing,
    "removeDevice": remove_device,
    "assignDevice": lambda: {"body": {"type": "steps", "deviceID": "any"}},
    "sendSingle": lambda: {"body": request_for(cast().person)},
    "sendGroup": lambda: {
        "body": {
            "dataTypes": ["heartRate"], "searchParams": ["age>=18", "sex=F"],
            "subscribing": False, "groupBy": "ageBand",
        }
    },
    "priceOfRequest": lambda: {
        "body": request_for(cast().person) | _pick.choice([{}, {"searchParams": ["age>=18"]}])},
    "lookUpMunicipalities": lambda: {"query": {"query": _pick.choice(["mil", "Samone (TN)"])}},
    "lookUpCompanies": lambda: {"query": {"query": _pick.choice(["com", "fuz"])}},
    "answerRequest": answer_request,
    "deliveredData": delivered_data,
    "mailData": lambda: {"body": delivered_data()["query"]},
    "payRequest": lambda: {"body": {"reqID": cast().unpaid_request()}},
    "confirmPayment": confirmation,
    "createRun": lambda: {"body": run_to_make()},
    "giveRunPath": lambda: {"body": {"runID": cast().run(False), "path": path_of_run()}},
    "checkRunPath": lambda: {"body": {"runID": cast().undrawn_run, "path": path_of_run()}},
    "updateRun": update_run,
    "setCoOrganiser": lambda: {"body": {
        "runID": cast().run(), "email": cast().called_company.email,
        "allowed": _pick.choice([True, False])}},
    "inviteAsOrganiser": lambda: {"body": invitation(_pick.randint(1, 3))},
    "inviteAsRunner": lambda: {"body": invitation(1)},
    "cancelRun": lambda: {"body": {"runID": cast().run()}},
    "listParticipants": lambda: {"query": {"runID": cast().entered_run}},
    "runClauses": lambda: {"query": {"runID": cast().run_with_clauses}},
    "showRun": lambda: {"path": {"code": cast().listed_code}},
    "runQRCode": lambda: {"path": {"code": cast().listed_code.lower()}},
    "givePicture": lambda: {
        "query": {"runID": cast().run(False)}, "body": picture(), "media_type": "image/png"},
    "runPicture": lambda: {"path": {"code": cast().pictured_code}},
    "runPage": lambda: {"path": {"code": cast().listed_code}},
    "runPreview": lambda: {"path": {"code": cast().listed_code}},
    "mapTile": lambda: {"path": {"z": 3, "x": _pick.randint(0, 7), "y": _pick.randint(0, 7)}},
    "joinRun": join_run,
    "changeRunnerChoice": lambda: {"body": {
        "runID": cast().entered_run, "runnerName": "Runner in blue", "findable": False}},
    "ownTrack": lambda: {"query": {"runID": cast().entered_run}},
    "leaveRun": lambda: {"body": {"runID": cast().joined_run()}},
    "specifyRun": lambda: {"body": {"runID": cast().watched_run}},
    "readPositions": lambda: {"body": {"runID": cast().watched_run}},
    "runPlacings": lambda: {"query": {"runID": cast().watched_run}},
    "watchOwnRun": lambda: {"query": {"runID": cast().watched_run}},
    "runStatistics": lambda: {"query": {"runID": cast().entered_run}},
    "downloadRun": lambda: {"query": {
        "runID": cast().watched_run, "format": _pick.choice(["csv", "ndjson", "gpx"])}},
    "pauseSharing": lambda: {
        "body": {"runID": cast().entered_run, "paused": _pick.random() < 0.5}},
    "endByThirdParty": lambda: {"body": {"reqID": cast().accepted_request()}},
    "endBySingleUser": lambda: {"body": {"reqID": cast().accepted_request()}},
}


def parts(operation):
    """`path`, `query`, `body` and `media_type` of an accepted call."""
    return BUILDERS.get(operation, dict)()
