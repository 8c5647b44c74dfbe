// The page: it asks for what is known, and listens for what happens.

import { byId, dayAndTime, say } from "./dom.js";
import { question, showHeld, startHeld } from "./held.js";
import { showEvent, showLost } from "./log.js";
import { nameSaved, showSaved, startSaved } from "./saved.js";

const often = 1000; // between two questions, in ms, however much happens
const seldom = 10000; // if nothing does: entries are also forgotten by others
let asked = 0;
let turn = 0; // of the last question: answers to earlier ones come too late
let soon = null;
let source = null;

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return [await answer.json(), answer.headers];
}

function showAbout(about) {
  const mode = byId("mode");
  say(mode, about.mode === "on" ? "on" : about.mode === "off" ? "off: nothing is looked at" : "dry-run: nothing is changed");
  mode.className = `pill ${about.mode === "on" ? "good" : "plain"}`;
  say(byId("address"), about.address);
  say(byId("version"), about.version);
  nameSaved(about.mode);
  const away = byId("away");
  away.hidden = about.away.length === 0;
  say(away, about.away.map((a) => `${a.host} cannot be reached since ${dayAndTime(a.since)}.`).join(" "));
}

async function refresh() {
  asked = performance.now();
  const mine = ++turn;
  try {
    const [[about], [saved], [list, headers]] = await Promise.all([get("/-/about"), get("/-/saved"), get(`/-/breakers?${question()}`)]);
    if (mine !== turn) return;
    showAbout(about);
    showSaved(saved);
    const count = (name) => Number(headers.get(`X-${name}-Count`));
    showHeld(list, { total: count("Total"), matching: count("Matching"), held: count("Held") });
    if (source?.readyState === EventSource.OPEN) link("on", "live");
  } catch {
    link("lost", "imagebreaker cannot be reached");
  }
}

// later asks soon, but not too often.
function later() {
  soon ??= setTimeout(() => {
    soon = null;
    refresh();
  }, Math.max(100, asked + often - performance.now()));
}

function link(state, text) {
  byId("link").dataset.state = state;
  say(byId("link"), text);
}

function listen() {
  if (source) return;
  source = new EventSource("/-/live");
  source.onopen = () => {
    link("on", "live");
    later();
  };
  source.onmessage = (m) => {
    showEvent(m.lastEventId, JSON.parse(m.data));
    later();
  };
  source.addEventListener("lost", (m) => showLost(JSON.parse(m.data).lost));
  source.onerror = () => {
    link("lost", "not connected, trying again");
    if (source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
    source = null;
    setTimeout(watch, 5000);
  };
}

// watch listens while somebody looks: a hidden page would only take a place.
function watch() {
  if (!document.hidden) {
    listen();
    return;
  }
  source?.close();
  source = null;
  link("off", "paused");
}

startSaved();
startHeld(refresh);
document.addEventListener("visibilitychange", watch);
setInterval(() => {
  if (!document.hidden) later();
}, seldom);
refresh();
watch();
