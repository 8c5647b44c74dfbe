// A bar chart of what was saved, up to now.

const svgNamespace = "http://www.w3.org/2000/svg";
const bars = 60;

export const ranges = [
  { name: "1 h", text: "in the last hour", minutes: 60 },
  { name: "6 h", text: "in the last 6 hours", minutes: 360 },
  { name: "24 h", text: "in the last 24 hours", minutes: 1440 },
];

// histogram sums the minutes up by bar. The last bar ends now.
function histogram(minutes, range, field) {
  const sums = new Array(bars).fill(0);
  const width = range.minutes / bars;
  for (const m of minutes) {
    const back = Math.floor(m.minutes_ago / width);
    if (back < bars) sums[bars - 1 - back] += m[field];
  }
  return sums;
}

function svgElement(name, attributes) {
  const e = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// draw shows a field of the minutes and returns its sum.
export function draw(place, minutes, range, field, title, format) {
  const sums = histogram(minutes, range, field);
  const total = sums.reduce((a, b) => a + b, 0);
  const highest = Math.max(...sums);
  const label = `${title} ${range.text}: ${format(total)}, at most ${format(highest)} in ${range.minutes / bars} minutes`;
  const svg = svgElement("svg", { viewBox: `0 0 ${bars * 10} 64`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  sums.forEach((n, i) => {
    const height = n === 0 ? 1 : 3 + (59 * n) / highest;
    svg.append(svgElement("rect", { x: i * 10 + 1, y: 64 - height, width: 8, height, class: n === 0 ? "none" : "some" }));
  });
  const axis = document.createElement("p");
  axis.setAttribute("aria-hidden", "true");
  for (const text of [`${range.name} ago`, highest > 0 ? `highest bar: ${format(highest)}` : "", "now"]) {
    const tick = document.createElement("span");
    tick.textContent = text;
    axis.append(tick);
  }
  place.replaceChildren(svg, axis);
  return total;
}
