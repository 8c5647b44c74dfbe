// A chart of bars: what was saved, in so many steps back from now.

const svgName = "http://www.w3.org/2000/svg";
const bars = 60;

export const ranges = [
  { name: "1 h", words: "in the last hour", minutes: 60 },
  { name: "6 h", words: "in the last 6 hours", minutes: 360 },
  { name: "24 h", words: "in the last 24 hours", minutes: 1440 },
];

// steps sums the minutes up: the last step ends now.
function steps(minutes, range, field) {
  const sums = new Array(bars).fill(0);
  const width = range.minutes / bars;
  for (const m of minutes) {
    const back = Math.floor(m.minutes_ago / width);
    if (back < bars) sums[bars - 1 - back] += m[field];
  }
  return sums;
}

function shape(name, attributes) {
  const e = document.createElementNS(svgName, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// draw shows a field of the minutes and returns its sum. write makes words of a number.
export function draw(place, minutes, range, field, title, write) {
  const sums = steps(minutes, range, field);
  const total = sums.reduce((a, b) => a + b, 0);
  const most = Math.max(...sums);
  const label = `${title} ${range.words}: ${write(total)}, at most ${write(most)} in ${range.minutes / bars} minutes`;
  const svg = shape("svg", { viewBox: `0 0 ${bars * 10} 64`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  sums.forEach((n, i) => {
    const height = n === 0 ? 1 : 3 + (59 * n) / most;
    svg.append(shape("rect", { x: i * 10 + 1, y: 64 - height, width: 8, height, class: n === 0 ? "none" : "some" }));
  });
  const axis = document.createElement("p");
  axis.setAttribute("aria-hidden", "true");
  for (const text of [`${range.name} ago`, most > 0 ? `highest bar: ${write(most)}` : "", "now"]) {
    const end = document.createElement("span");
    end.textContent = text;
    axis.append(end);
  }
  place.replaceChildren(svg, axis);
  return total;
}
