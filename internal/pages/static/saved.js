// The figures at the top: what was saved.

import { byId, button, bytes, dayAndTime, number, say } from "./dom.js";
import { draw, ranges } from "./chart.js";

let range = ranges[0];
let report = { since: "", total: { uploads: 0, bytes: 0 }, minutes: [] };

const write = { uploads: number, bytes };

export function showSaved(next) {
  report = next;
  for (const field of ["uploads", "bytes"]) {
    const title = byId(`${field}-title`).textContent;
    const total = draw(byId(`${field}-chart`), report.minutes, range, field, title, write[field]);
    say(byId(field), write[field](total));
    say(byId(`${field}-note`), `${range.words}; ${write[field](report.total[field])} since ${dayAndTime(report.since)}`);
  }
}

// nameSaved: in dry-run nothing is avoided, it only could be.
export function nameSaved(mode) {
  const dry = mode === "dry-run";
  say(byId("uploads-title"), dry ? "Uploads it would have avoided" : "Uploads avoided");
  say(byId("bytes-title"), dry ? "Bytes it would not have sent" : "Bytes not sent");
}

export function startSaved() {
  const all = ranges.map((r) =>
    button(r.name, () => {
      range = r;
      press();
      showSaved(report);
    }),
  );
  const press = () => all.forEach((b, i) => b.setAttribute("aria-pressed", String(ranges[i] === range)));
  press();
  byId("ranges").append(...all);
}
