// Requirements: UI-10, RUN-1 (a course from a GPX file).
import assert from "node:assert/strict";
import { test } from "node:test";
import { GPXFault, gpxPoints } from "../../Sources/WebApp/Client/gpx.js";

const head = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"test\">\n";

/**
 * @param {string} text
 * @param {string} reason
 * @param {number} line
 */
function refuses(text, reason, line) {
  assert.throws(() => gpxPoints(text),
    (fault) => fault instanceof GPXFault && fault.reason === reason && fault.line === line);
}

test("the first track with points counts, over all its segments", () => {
  const { kind, name, points } = gpxPoints(`${head}<wpt lat="1" lon="1"/>
    <trk><name>empty</name></trk>
    <trk><name>Lungo &amp; lago</name><trkseg><trkpt lat="45.1" lon="9.1"><ele>3</ele>
    <name>water</name></trkpt></trkseg><trkseg><trkpt lon='9.2' lat='+45.2'/></trkseg></trk>
    <trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk>
    <rte><rtept lat="3" lon="4"/></rte></gpx>`);
  assert.equal(kind, "track");
  assert.equal(name, "Lungo & lago");
  assert.deepEqual(points, [{ lat: 45.1, lon: 9.1 }, { lat: 45.2, lon: 9.2 }]);
});

test("without a track a route counts, and without both the waypoints", () => {
  const route = gpxPoints(`${head}<wpt lat="1" lon="1"/><rte><rtept lat="3" lon="4"/></rte></gpx>`);
  assert.deepEqual([route.kind, route.points], ["route", [{ lat: 3, lon: 4 }]]);
  const marks = gpxPoints(`${head}<wpt lat="1" lon="1"></wpt><wpt lat="2" lon="1"></wpt></gpx>`);
  assert.deepEqual([marks.kind, marks.points.length], ["waypoints", 2]);
});

test("prefixes are ignored; comments, CDATA and quoted signs hide no tags and make none", () => {
  const { points } = gpxPoints(`<!-- <gpx> --><x:gpx a="b > c"><x:trk>
    <!-- <trkpt lat="0" lon="0"/> --><x:desc><![CDATA[<trkpt lat="0" lon="0"/>]]></x:desc>
    <x:trkseg><x:trkpt x:lat="7" lat="45.1" lon=" 9.1 "/></x:trkseg></x:trk></x:gpx>`);
  assert.deepEqual(points, [{ lat: 45.1, lon: 9.1 }]);
});

test("other files and wrong points are refused with the line", () => {
  refuses("a text", "no gpx", 0);
  refuses("<kml></kml>", "no gpx", 1);
  refuses(`${head}</gpx>`, "no points", 0);
  refuses(`${head}<trk><trkpt lat="95" lon="9"/></trk></gpx>`, "wrong point", 3);
  refuses(`${head}<trk>\n<trkpt lon="9"/></trk></gpx>`, "wrong point", 4);
  refuses(`${head}<trk>\n${"<trkpt lat='1' lon='1'/>".repeat(20_001)}</trk></gpx>`,
    "too many points", 4);
});
