// The figures at the top: what was saved.

import { byId, button, bytes, dayAndTime, number, setText } from "./dom.js";
import { draw, ranges } from "./chart.js";

let range = ranges[0];
let report = { since: "", total: { uploads: 0, bytes: 0 }, minutes: [] };

const format = { uploads: number, bytes };

export function showSaved(next) {
  report = next;
  for (const field of ["uploads", "bytes"]) {
    const title = byId(`${field}-title`).textContent;
    const total = draw(byId(`${field}-chart`), report.minutes, range, field, title, format[field]);
    setText(byId(field), format[field](total));
    setText(byId(`${field}-note`), `${range.text}; ${format[field](report.total[field])} since ${dayAndTime(report.since)}`);
  }
}

// setTitles takes into account that dry-run avoids nothing.
export function setTitles(mode) {
  const dryRun = mode === "dry-run";
  setText(byId("uploads-title"), dryRun ? "Uploads it would have avoided" : "Uploads avoided");
  setText(byId("bytes-title"), dryRun ? "Bytes it would not have sent" : "Bytes not sent");
}

export function startSaved() {
  const all = ranges.map((r) =>
    button(r.name, () => {
      range = r;
      markPressed();
      showSaved(report);
    }),
  );
  const markPressed = () => all.forEach((b, i) => b.setAttribute("aria-pressed", String(ranges[i] === range)));
  markPressed();
  byId("ranges").append(...all);
}
