// What was answered, as it happens.

import { byId, bytes, make, shown, timeOfDay } from "./dom.js";

const most = 200; // lines kept
const seen = new Set(); // ids of events, of which a new connection brings some again

// names are how the log's events are called here, and how they look.
const names = {
  failure_recorded: ["failed", "bad"],
  short_circuited: ["held", "live"],
  would_short_circuit: ["would hold", "live"],
  repaired: ["repaired", "good"],
  recovered: ["recovered", "good"],
  probe_sent: ["tried in vain", "open"],
  upstream_error: ["upstream error", "plain"],
  forwarded_unseen: ["not looked at", "plain"],
  internal_error: ["own fault", "bad"],
};

// words tells what came of it.
function words(e) {
  const status = [];
  if (e.status) status.push(`the API said ${e.status}`);
  if (e.error_kind === "network") status.push("the API cannot be reached");
  if (e.client_status && e.client_status !== e.status) status.push(`the client got ${e.client_status}`);
  return [
    e.detail ?? e.reason,
    e.model ?? e.protocol,
    status.join(", "),
    e.event === "short_circuited" && e.request_bytes ? `${bytes(e.request_bytes)} not sent` : "",
  ].filter(Boolean).join(" · ");
}

function add(line) {
  const log = byId("log");
  const atTop = log.scrollTop < 4;
  log.prepend(line);
  while (log.children.length > most) log.lastChild.remove();
  if (atTop) log.scrollTop = 0;
  byId("quiet").hidden = true;
}

function line(at, [name, kind], text, id) {
  return make("li", {},
    make("time", { datetime: at }, timeOfDay(at)), make("span", {}, make("span", { class: `pill ${kind}` }, name)),
    make("span", { class: "words" }, shown(text)), make("span", { class: "id", title: "signature" }, id));
}

export function showEvent(id, e) {
  if (seen.has(id)) return;
  seen.add(id);
  if (seen.size > 2000) seen.delete(seen.values().next().value);
  add(line(e.time, names[e.event] ?? [e.event, "plain"], words(e), e.signature ?? ""));
}

export function showLost(n) {
  add(line(new Date().toISOString(), ["not shown", "plain"], `${n} events came faster than this page could take them; the event log has them`, ""));
}
