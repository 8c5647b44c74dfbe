// The events, as they happen.

import { byId, bytes, element, escaped, timeOfDay } from "./dom.js";

const maxLines = 200;
const maxIds = 2000;
const ids = new Set(); // of events shown: a new connection replays the recent ones

// pills are the texts and colours of the log's events.
const pills = {
  failure_recorded: ["failed", "bad"],
  short_circuited: ["short-circuited", "live"],
  would_short_circuit: ["would short-circuit", "live"],
  repaired: ["repaired", "good"],
  recovered: ["recovered", "good"],
  probe_sent: ["probed", "open"],
  upstream_error: ["upstream error", "plain"],
  forwarded_unseen: ["bypassed", "plain"],
  internal_error: ["internal error", "bad"],
};

// describe says in words what an event was about.
function describe(e) {
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

function prepend(line) {
  const log = byId("log");
  const atTop = log.scrollTop < 4;
  log.prepend(line);
  while (log.children.length > maxLines) log.lastChild.remove();
  if (atTop) log.scrollTop = 0;
  byId("no-events").hidden = true;
}

function line(at, [text, colour], description, signature) {
  return element("li", {},
    element("time", { datetime: at }, timeOfDay(at)), element("span", {}, element("span", { class: `pill ${colour}` }, text)),
    element("span", { class: "words" }, escaped(description)), element("span", { class: "id", title: "signature" }, signature));
}

export function showEvent(id, e) {
  if (ids.has(id)) return;
  ids.add(id);
  if (ids.size > maxIds) ids.delete(ids.values().next().value);
  prepend(line(e.time, pills[e.event] ?? [e.event, "plain"], describe(e), e.signature ?? ""));
}

export function showLost(n) {
  prepend(line(new Date().toISOString(), ["not shown", "plain"], `${n} events came faster than this page could take them; the event log has them`, ""));
}
