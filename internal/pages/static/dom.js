// What the other parts draw with. Text goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

// make builds an element: make("td", {class: "count"}, "12", another).
export function make(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// shown is a text of others without what would act on the text around it: control
// characters and marks of direction are spelled out.
export const shown = (text) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// say changes a text only if it is another one: a live region tells what changes.
export function say(element, text) {
  const safe = shown(text);
  if (element.textContent !== safe) element.textContent = safe;
}

export function button(text, press, attributes = {}) {
  const b = make("button", { type: "button", ...attributes }, text);
  b.addEventListener("click", press);
  return b;
}

const whole = new Intl.NumberFormat("en");
export const number = (n) => whole.format(n);

export function bytes(n) {
  let unit = 0;
  while (n >= 999.5 && unit < 4) {
    n /= 1000;
    unit++;
  }
  return `${unit > 0 && n < 99.95 ? n.toFixed(1) : Math.round(n)} ${["B", "KB", "MB", "GB", "TB"][unit]}`;
}

// clock is a time that runs down, as 0:07 or 12:30.
export function clock(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

export const timeOfDay = (at) => new Date(at).toLocaleTimeString("en-GB");

export const dayAndTime = (at) =>
  new Date(at).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

// ask puts a question in the place of a button: forgetting cannot be undone.
export function ask(place, question, yes, no, done) {
  const first = button(yes, () => done(true), { class: "danger" });
  place.replaceChildren(make("span", {}, question), first, button(no, () => done(false)));
  place.onkeydown = (e) => {
    if (e.key === "Escape") done(false);
  };
  first.focus();
}
