// The page: it polls what is remembered, and subscribes to the events.

import { byId, dayAndTime, setText } from "./dom.js";
import { query, showBreakers, startBreakers } from "./breakers.js";
import { showEvent, showLost } from "./log.js";
import { setTitles, showSaved, startSaved } from "./saved.js";

const minInterval = 1000; // between two polls, in ms, however many events there are
const maxInterval = 10000; // without events: entries also change without one
let lastPoll = 0;
let sequence = 0; // of the last poll: answers to earlier ones are stale
let scheduled = null;
let source = null;

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return [await answer.json(), answer.headers];
}

function showAbout(about) {
  const mode = byId("mode");
  setText(mode, about.mode === "on" ? "on" : about.mode === "off" ? "off: nothing is inspected" : "dry-run: nothing is changed");
  mode.className = `pill ${about.mode === "on" ? "good" : "plain"}`;
  setText(byId("address"), about.address);
  setText(byId("version"), about.version);
  setTitles(about.mode);
  const down = byId("down");
  down.hidden = about.away.length === 0;
  setText(down, about.away.map((u) => `${u.host} cannot be reached since ${dayAndTime(u.since)}.`).join(" "));
}

async function poll() {
  lastPoll = performance.now();
  const mine = ++sequence;
  try {
    const [[about], [saved], [list, headers]] = await Promise.all([get("/-/about"), get("/-/saved"), get(`/-/breakers?${query()}`)]);
    if (mine !== sequence) return;
    showAbout(about);
    showSaved(saved);
    const count = (name) => Number(headers.get(`X-${name}-Count`));
    showBreakers(list, { total: count("Total"), matching: count("Matching"), rejecting: count("Held") });
    if (source?.readyState === EventSource.OPEN) setLink("on", "live");
  } catch {
    setLink("lost", "imagebreaker cannot be reached");
  }
}

// schedulePoll polls soon, but not too often.
function schedulePoll() {
  scheduled ??= setTimeout(() => {
    scheduled = null;
    poll();
  }, Math.max(100, lastPoll + minInterval - performance.now()));
}

function setLink(state, text) {
  byId("link").dataset.state = state;
  setText(byId("link"), text);
}

function subscribe() {
  if (source) return;
  source = new EventSource("/-/live");
  source.onopen = () => {
    setLink("on", "live");
    schedulePoll();
  };
  source.onmessage = (m) => {
    showEvent(m.lastEventId, JSON.parse(m.data));
    schedulePoll();
  };
  source.addEventListener("lost", (m) => showLost(JSON.parse(m.data).lost));
  source.onerror = () => {
    setLink("lost", "not connected, trying again");
    if (source?.readyState !== EventSource.CLOSED) return; // it reconnects by itself
    source = null;
    setTimeout(updateSubscription, 5000);
  };
}

// updateSubscription subscribes while the page is visible: a hidden one would only
// take the place of another.
function updateSubscription() {
  if (!document.hidden) {
    subscribe();
    return;
  }
  source?.close();
  source = null;
  setLink("off", "paused");
}

startSaved();
startBreakers(poll);
document.addEventListener("visibilitychange", updateSubscription);
setInterval(() => {
  if (!document.hidden) schedulePoll();
}, maxInterval);
poll();
updateSubscription();
