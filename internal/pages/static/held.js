// The list of what is known to be bad.

import { ask, button, byId, bytes, clock, make, number, say, shown } from "./dom.js";

const step = 200; // rows shown at first, and more with each press
const rows = new Map(); // by key: what is on the page

let limit = step;
let changed = () => {};

export const question = () => {
  const q = new URLSearchParams({ limit: String(limit) });
  if (byId("filter").value.trim()) q.set("q", byId("filter").value.trim());
  return q;
};

// Two sessions may have the same failure.
const key = (e) => `${e.signature} ${e.session_id}`;

// words is what a person calls an image: what it is, and how large.
function words(e) {
  const m = /^(\d+) bytes(?:, (.*))?$/.exec(e.what);
  const kind = m ? (m[2] ?? "media") : e.what || "an image of an earlier run";
  const others = e.images.length > 1 ? ` (the first of ${e.images.length})` : "";
  return { kind: kind[0].toUpperCase() + kind.slice(1) + others, size: m ? bytes(Number(m[1])) : "" };
}

function shorten(id) {
  const letters = Array.from(id); // an emoji is one
  return letters.length > 12 ? `${letters.slice(0, 8).join("")}…` : id;
}

const session = (id) => ({ none: "no session", "": "any session" })[id] ?? `session ${shorten(id)}`;

// state tells what happens to the next request, by the time that is left.
function state(e, left) {
  if (e.state === "live" && left > 0) return ["live", "holds"];
  if (e.state === "repaired") return ["good", "replaced by a note"];
  if (e.state === "probing") return ["info", "being tried"];
  return ["open", "lets the next through"];
}

// again asks before an image is tried again: it is for all who have it.
function again(e) {
  const sessions = [...rows.values()].filter((row) => row.entry.signature === e.signature).length;
  return sessions > 1 ? `Try it again in ${sessions} sessions?` : "Try it again?";
}

class Row {
  constructor() {
    const cell = (name, ...children) => make("td", { class: name, role: "cell" }, ...children);
    this.main = make("div", { class: "main" });
    this.sub = make("div", { class: "sub" });
    this.model = make("div", { class: "main" });
    this.session = make("div", { class: "sub" });
    this.count = make("span", { class: "number-of" });
    this.times = make("span", { class: "times" });
    this.pill = make("span", { class: "pill" });
    this.left = make("span", { class: "left" });
    this.actions = make("div", { class: "actions" });
    this.tr = make("tr", { role: "row" },
      cell("image", this.main, this.sub), cell("where", this.model, this.session),
      cell("count", this.count, this.times), cell("state", this.pill, this.left), cell("act", this.actions));
    this.offer();
  }

  show(e) {
    this.entry = e;
    this.end = performance.now() + e.cool_off_remaining_ms;
    const { kind, size } = words(e);
    say(this.main, kind);
    say(this.sub, [size, e.reason, e.images[0] && `sum ${e.images[0].slice(0, 12)}`].filter(Boolean).join(" · "));
    say(this.model, e.model || "any model");
    say(this.session, [e.protocol, session(e.session_id)].filter(Boolean).join(" · "));
    this.session.title = shown(e.session_id);
    const counted = e.state !== "repaired"; // nothing is held for it any more
    say(this.count, counted ? number(e.held_count) : "");
    say(this.times, counted ? (e.held_count === 1 ? " request held" : " requests held") : "");
    this.tick();
  }

  tick() {
    const left = this.end - performance.now();
    const [kind, text] = state(this.entry, left);
    this.pill.className = `pill ${kind}`;
    say(this.pill, text);
    say(this.left, kind === "live" ? clock(left) : "");
  }

  offer() {
    this.tr.classList.remove("asking");
    this.button = button("Forget", () => this.ask());
    this.actions.replaceChildren(this.button);
    this.actions.onkeydown = null;
  }

  ask() {
    this.tr.classList.add("asking");
    ask(this.actions, again(this.entry), "Yes, forget", "Keep", (yes) => {
      const next = this.tr.nextElementSibling ?? this.tr.previousElementSibling;
      this.offer();
      this.button.focus();
      if (!yes) return;
      this.button.disabled = true;
      forget(`/-/breakers/${this.entry.signature}`, next?.querySelector("button") ?? byId("held"));
    });
  }
}

async function forget(path, focus) {
  let said = "That did not work: imagebreaker cannot be reached.";
  try {
    const answer = await fetch(path, { method: "DELETE" });
    const gone = answer.ok ? await answer.json() : null;
    if (!gone) said = `That did not work: ${answer.status}.`;
    else said = gone.forgotten + gone.repairs > 0 ? "Forgotten. The next request with it goes to the API." : "It was forgotten before.";
  } catch {
    // said already says it
  }
  say(byId("said"), said);
  focus.focus({ preventScroll: true });
  changed();
}

function offerAll(total) {
  const place = byId("all");
  if (place.dataset.asking) return;
  const b = button("Forget all", () => {
    place.dataset.asking = "yes";
    ask(place, `Forget all ${number(Number(place.dataset.total))}?`, "Yes, forget all", "Keep", (yes) => {
      delete place.dataset.asking;
      offerAll(Number(place.dataset.total));
      place.firstChild.focus();
      if (yes) forget("/-/breakers", byId("held"));
    });
  });
  const had = place.contains(document.activeElement);
  place.dataset.total = String(total);
  b.disabled = total === 0;
  place.onkeydown = null;
  place.replaceChildren(b);
  if (had) b.focus();
}

// showHeld brings the list up to date. Rows that stay are not touched beyond
// their texts, so that whoever is in one of them stays there.
export function showHeld(list, counts) {
  const body = byId("entries");
  const seen = new Set(list.map(key));
  for (const [k, row] of rows) {
    if (!seen.has(k)) {
      row.tr.remove();
      rows.delete(k);
    }
  }
  const focus = document.activeElement;
  list.toReversed().forEach((e, i) => {
    let row = rows.get(key(e));
    if (!row) rows.set(key(e), (row = new Row()));
    row.show(e);
    if (body.children[i] !== row.tr) body.insertBefore(row.tr, body.children[i] ?? null);
  });
  if (focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true }); // its row has moved
  say(byId("now-held"), number(counts.held));
  say(byId("now-known"), counts.total === counts.held ? "all that is known bad" : `of ${number(counts.total)} known bad`);
  showRest(list.length, counts);
  offerAll(counts.total);
}

function showRest(shown, counts) {
  const filtered = byId("filter").value.trim() !== "";
  byId("nothing").hidden = shown > 0;
  say(byId("nothing"), filtered ? "Nothing of what is known bad fits the filter." : "Nothing is known to be bad. Requests go through untouched.");
  const more = byId("more");
  more.hidden = counts.matching <= shown;
  if (more.hidden) {
    more.replaceChildren();
  } else if (more.dataset.shown !== `${shown} ${counts.matching}` || !more.firstChild) {
    const b = button(`Show ${number(Math.min(step, counts.matching - shown))} more`, () => {
      limit += step;
      changed();
    });
    const had = more.contains(document.activeElement);
    more.replaceChildren(`The newest ${number(shown)} of ${number(counts.matching)}.`, b);
    if (had) b.focus();
  }
  more.dataset.shown = `${shown} ${counts.matching}`;
}

// startHeld calls onChange when another part of the list is wanted.
export function startHeld(onChange) {
  changed = onChange;
  let typing;
  byId("filter").addEventListener("input", () => {
    clearTimeout(typing);
    limit = step;
    typing = setTimeout(changed, 200);
  });
  setInterval(() => rows.forEach((row) => row.tick()), 250);
  offerAll(0);
}
