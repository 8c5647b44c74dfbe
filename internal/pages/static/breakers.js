// The list of known-bad images.

import { button, byId, bytes, confirm, countdown, element, escaped, number, setText } from "./dom.js";

const pageSize = 200; // rows shown at first, and more with each click
const rows = new Map(); // the rows on the page, by key

let limit = pageSize;
let refresh = () => {};

export const query = () => {
  const q = new URLSearchParams({ limit: String(limit) });
  if (byId("filter").value.trim()) q.set("q", byId("filter").value.trim());
  return q;
};

// key identifies an entry: two sessions may have the same failure.
const key = (e) => `${e.signature} ${e.session_id}`;

// describe says in words what an image is and how large.
function describe(e) {
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

// state returns the colour and the text for what happens to the next request, given
// the time that is left.
function state(e, left) {
  if (e.state === "live" && left > 0) return ["live", "rejecting"];
  if (e.state === "repaired") return ["good", "substituted"];
  if (e.state === "probing") return ["info", "probing"];
  return ["open", "next is a probe"];
}

// forgetQuestion names all sessions that are affected.
function forgetQuestion(e) {
  const sessions = [...rows.values()].filter((row) => row.entry.signature === e.signature).length;
  return sessions > 1 ? `Try it again in ${sessions} sessions?` : "Try it again?";
}

class Row {
  constructor() {
    const cell = (name, ...children) => element("td", { class: name, role: "cell" }, ...children);
    this.main = element("div", { class: "main" });
    this.sub = element("div", { class: "sub" });
    this.model = element("div", { class: "main" });
    this.session = element("div", { class: "sub" });
    this.count = element("span", { class: "number-of" });
    this.unit = element("span", { class: "unit" });
    this.pill = element("span", { class: "pill" });
    this.left = element("span", { class: "left" });
    this.actions = element("div", { class: "actions" });
    this.tr = element("tr", { role: "row" },
      cell("image", this.main, this.sub), cell("where", this.model, this.session),
      cell("count", this.count, this.unit), cell("state", this.pill, this.left), cell("act", this.actions));
    this.showButton();
  }

  show(e) {
    this.entry = e;
    this.end = performance.now() + e.cool_off_remaining_ms;
    const { kind, size } = describe(e);
    setText(this.main, kind);
    setText(this.sub, [size, e.reason, e.images[0] && `sum ${e.images[0].slice(0, 12)}`].filter(Boolean).join(" · "));
    setText(this.model, e.model || "any model");
    setText(this.session, [e.protocol, session(e.session_id)].filter(Boolean).join(" · "));
    this.session.title = escaped(e.session_id);
    const counted = e.state !== "repaired"; // no request is rejected because of it any more
    setText(this.count, counted ? number(e.held_count) : "");
    setText(this.unit, counted ? (e.held_count === 1 ? " request rejected" : " requests rejected") : "");
    this.tick();
  }

  tick() {
    const left = this.end - performance.now();
    const [colour, text] = state(this.entry, left);
    this.pill.className = `pill ${colour}`;
    setText(this.pill, text);
    setText(this.left, colour === "live" ? countdown(left) : "");
  }

  showButton() {
    this.tr.classList.remove("asking");
    this.button = button("Forget", () => this.confirm());
    this.actions.replaceChildren(this.button);
    this.actions.onkeydown = null;
  }

  confirm() {
    this.tr.classList.add("asking");
    confirm(this.actions, forgetQuestion(this.entry), "Yes, forget", "Keep", (yes) => {
      const next = this.tr.nextElementSibling ?? this.tr.previousElementSibling;
      this.showButton();
      this.button.focus();
      if (!yes) return;
      this.button.disabled = true;
      forget(`/-/breakers/${this.entry.signature}`, next?.querySelector("button") ?? byId("breakers"));
    });
  }
}

async function forget(path, focus) {
  let result = "That did not work: imagebreaker cannot be reached.";
  try {
    const answer = await fetch(path, { method: "DELETE" });
    const counts = answer.ok ? await answer.json() : null;
    if (!counts) result = `That did not work: ${answer.status}.`;
    else result = counts.forgotten + counts.repairs > 0 ? "Forgotten. The next request with it goes to the API." : "It was already forgotten.";
  } catch {
    // the result is right already
  }
  setText(byId("result"), result);
  focus.focus({ preventScroll: true });
  refresh();
}

function showForgetAll(total) {
  const place = byId("forget-all");
  if (place.dataset.asking) return;
  const b = button("Forget all", () => {
    place.dataset.asking = "yes";
    confirm(place, `Forget all ${number(Number(place.dataset.total))}?`, "Yes, forget all", "Keep", (yes) => {
      delete place.dataset.asking;
      showForgetAll(Number(place.dataset.total));
      place.firstChild.focus();
      if (yes) forget("/-/breakers", byId("breakers"));
    });
  });
  const hadFocus = place.contains(document.activeElement);
  place.dataset.total = String(total);
  b.disabled = total === 0;
  place.onkeydown = null;
  place.replaceChildren(b);
  if (hadFocus) b.focus();
}

// showBreakers updates the list. Of rows that stay only texts change, so that they
// keep the focus.
export function showBreakers(list, counts) {
  const body = byId("entries");
  const keys = new Set(list.map(key));
  for (const [k, row] of rows) {
    if (!keys.has(k)) {
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
  if (focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true }); // its row was moved
  setText(byId("rejecting"), number(counts.rejecting));
  setText(byId("rejecting-note"), counts.total === counts.rejecting ? "all known-bad images" : `of ${number(counts.total)} known-bad images`);
  showRest(list.length, counts);
  showForgetAll(counts.total);
}

function showRest(count, counts) {
  const filtered = byId("filter").value.trim() !== "";
  byId("no-entries").hidden = count > 0;
  setText(byId("no-entries"), filtered ? "No known-bad image matches the filter." : "No image is known to be bad. Requests are forwarded unchanged.");
  const more = byId("more");
  more.hidden = counts.matching <= count;
  if (more.hidden) {
    more.replaceChildren();
  } else if (more.dataset.shown !== `${count} ${counts.matching}` || !more.firstChild) {
    const b = button(`Show ${number(Math.min(pageSize, counts.matching - count))} more`, () => {
      limit += pageSize;
      refresh();
    });
    const hadFocus = more.contains(document.activeElement);
    more.replaceChildren(`The newest ${number(count)} of ${number(counts.matching)}.`, b);
    if (hadFocus) b.focus();
  }
  more.dataset.shown = `${count} ${counts.matching}`;
}

// startBreakers calls onChange when another part of the list is needed.
export function startBreakers(onChange) {
  refresh = onChange;
  let debounce;
  byId("filter").addEventListener("input", () => {
    clearTimeout(debounce);
    limit = pageSize;
    debounce = setTimeout(refresh, 200);
  });
  setInterval(() => rows.forEach((row) => row.tick()), 250);
  showForgetAll(0);
}
