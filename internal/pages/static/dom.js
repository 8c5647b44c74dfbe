// Helpers for the DOM and for formatting. Text is inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);

// element creates an element: element("td", {class: "count"}, "12", another).
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// escaped spells out control characters and bidirectional marks of a text from
// outside, which would otherwise affect the text around it.
export const escaped = (text) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// setText touches the element only if its text changes: a live region announces every
// change.
export function setText(e, text) {
  const safe = escaped(text);
  if (e.textContent !== safe) e.textContent = safe;
}

export function button(text, onClick, attributes = {}) {
  const b = element("button", { type: "button", ...attributes }, text);
  b.addEventListener("click", onClick);
  return b;
}

const integer = new Intl.NumberFormat("en");
export const number = (n) => integer.format(n);

export function bytes(n) {
  let unit = 0;
  while (n >= 999.5 && unit < 4) {
    n /= 1000;
    unit++;
  }
  return `${unit > 0 && n < 99.95 ? n.toFixed(1) : Math.round(n)} ${["B", "KB", "MB", "GB", "TB"][unit]}`;
}

// countdown formats the time that is left, as 0:07 or 12:30.
export function countdown(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

export const timeOfDay = (at) => new Date(at).toLocaleTimeString("en-GB");

export const dayAndTime = (at) =>
  new Date(at).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

// confirm asks a question in the place of a button: forgetting cannot be undone.
export function confirm(place, question, yes, no, onAnswer) {
  const first = button(yes, () => onAnswer(true), { class: "danger" });
  place.replaceChildren(element("span", {}, question), first, button(no, () => onAnswer(false)));
  place.onkeydown = (e) => {
    if (e.key === "Escape") onAnswer(false);
  };
  first.focus();
}
