// Ratios with their intervals, the largest effect first.
import {reportData} from "../data.js";
import {axisX, dot, gridX, plot, ruleX, ruleY, text, ink, marginFor, shorten} from "./plot.js";

const mostRows = 60;

const colours = {better: ink.good, worse: ink.bad, same: ink.quiet, undecided: ink.caution};
const words = {better: "faster", worse: "slower", same: "same", undecided: "undecided"};

/** "−5.5 %", and beyond a factor of two "3.2× faster". */
function change(ratio: number): string {
  if (ratio >= 2) return `${ratio.toPrecision(3)}× slower`;
  if (ratio <= 0.5) return `${(1 / ratio).toPrecision(3)}× faster`;
  return percent(ratio);
}

function percent(ratio: number): string {
  const change = (ratio - 1) * 100;
  return `${change > 0 ? "+" : change < 0 ? "−" : ""}${Math.abs(change).toFixed(Math.abs(change) < 10 && change !== 0 ? 1 : 0)} %`;
}

function tickName(ratio: number): string {
  if (ratio === 1) return "no change";
  if (ratio >= 1.5) return `×${Number(ratio.toPrecision(3))}`;
  return ratio < 0.67 ? `÷${Number((1 / ratio).toPrecision(3))}` : percent(ratio);
}

/** No change, and round changes to either side: in per cent below a factor of two, in factors beyond it. */
function ticksWithin(low: number, high: number, each: number): number[] {
  const reach = Math.max(high, 1 / low);
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
  const step = steps.filter((one) => one * each < reach - 1).pop() ?? 0.0005;
  const factors = [1.5, 2, 3, 5, 10, 30, 100, 1000].filter((one) => one < reach).slice(-each);
  const sides = reach > 1.9 ? factors.map((one) => [one, 1 / one]) : [1, 2, 3].slice(0, each).map((k) => [1 + k * step, 1 - k * step]);
  return [1, ...sides.flat().filter((tick) => tick > low && tick < high)];
}

export function forest(figure: HTMLElement, width: number): Element | undefined {
  const rows = (reportData().comparison?.benchmarks ?? []).flatMap((b) => {
    const time = b.metrics?.find((m) => m.metric === "time");
    const ratio = time?.ratio;
    if (time === undefined || ratio === undefined || !(ratio.point > 0)) return [];
    return [{name: b.name, verdict: time.verdict, point: ratio.point, low: ratio.low ?? ratio.point, high: ratio.high ?? ratio.point}];
  });
  if (rows.length === 0) return undefined;
  rows.sort((a, b) => Math.abs(Math.log(b.point)) - Math.abs(Math.log(a.point)));
  const shown = rows.slice(0, mostRows);
  const note = figure.querySelector("figcaption");
  if (note !== null && shown.length < rows.length && !note.textContent?.includes("largest of")) {
    note.append(` The ${mostRows} largest of ${rows.length}; the table has all.`);
  }
  const {margin, characters} = marginFor(shown.map((row) => row.name), width);
  const room = 1.02;
  const low = Math.max(1e-4, Math.min(1 / room, ...shown.map((row) => row.low / room)));
  const high = Math.min(1e4, Math.max(room, ...shown.map((row) => row.high * room)));
  const clip = (value: number) => Math.min(Math.max(value, low), high);
  const ticks = ticksWithin(low, high, width < 500 ? 1 : 3);
  const labels = width > 700;
  return plot({
    width,
    height: 64 + 24 * shown.length,
    marginLeft: margin,
    marginRight: labels ? 104 : 16,
    marginTop: 30,
    x: {type: "log", domain: [low, high], label: null},
    y: {type: "point", axis: null, domain: shown.map((row) => row.name), padding: 0.7},
    marks: [
      gridX(ticks, {stroke: ink.line, strokeOpacity: 1}),
      axisX(ticks, {anchor: "top", tickFormat: tickName, stroke: "none", fill: ink.quiet}),
      ruleX([1], {stroke: ink.text, strokeWidth: 1.2}),
      text(shown, {y: "name", text: (row) => shorten(row.name, characters), frameAnchor: "left", textAnchor: "end", dx: -10, fill: ink.text, title: "name", className: "names"}),
      ruleY(shown, {x1: (row) => clip(row.low), x2: (row) => clip(row.high), y: "name", stroke: (row) => colours[row.verdict as keyof typeof colours], strokeWidth: 2.5, strokeLinecap: "round"}),
      dot(shown, {
        x: (row) => clip(row.point), y: "name", r: 5, strokeWidth: 2,
        stroke: (row) => colours[row.verdict as keyof typeof colours],
        fill: (row) => (row.verdict === "undecided" ? "var(--page)" : colours[row.verdict as keyof typeof colours]),
        title: (row) => `${row.name}\n${words[row.verdict as keyof typeof words]}: ${change(row.point)} [${change(row.low)}, ${change(row.high)}]`,
        className: "ratios", tip: {fill: "var(--page)", stroke: ink.line},
      }),
      ...(labels ? [text(shown, {y: "name", text: (row) => `${change(row.point)}`, frameAnchor: "right", textAnchor: "start", dx: 12, fill: (row) => colours[row.verdict as keyof typeof colours], fontWeight: 600, fontVariant: "tabular-nums"})] : []),
    ],
  });
}
