// Modes as bars of their operations, on one scale of time, and the what-if: how it would look with matmul k times faster.
import {reportData} from "../data.js";
import {make} from "../dom.js";
import {duration} from "../format.js";
import {axisX, axisY, barX, gridX, ink, plot, text} from "./plot.js";

const regimes = {compute: ink.good, bandwidth: ink.bad, overhead: ink.caution};

interface Bar {
  mode: string;
  name: string;
  x1: number;
  x2: number;
  colour: string;
  matmul: boolean;
}

/** One after the other, as they would run: gaps between operations stay, matmul shrinks. */
function barsOf(mode: string, ops: {name: string; kind: string; start_ns: number; duration_ns: number; regime: keyof typeof regimes}[], k: number): Bar[] {
  let saved = 0;
  return ops.map((op) => {
    const matmul = op.kind === "matmul";
    const x1 = op.start_ns - saved;
    const length = matmul ? op.duration_ns / k : op.duration_ns;
    saved += op.duration_ns - length;
    return {mode, name: op.name, x1, x2: x1 + length, colour: matmul ? ink.matmul : regimes[op.regime], matmul};
  });
}

export function timeline(figure: HTMLElement, width: number): Element | undefined {
  const breakdown = reportData().breakdowns?.[Number(figure.dataset["breakdown"])];
  const modes = breakdown?.modes ?? [];
  if (modes.every((mode) => (mode.ops ?? []).length === 0)) return undefined;
  const longest = Math.max(...modes.flatMap((mode) => (mode.ops ?? []).map((op) => op.start_ns + op.duration_ns)));
  const chart = make("div", {class: "bars"});
  const answer = make("output", {class: "answer"});
  const slider = make("input", {type: "range", min: "0", max: "5", step: "0.25", value: "0", "aria-label": "how many times faster matmul is", input: () => update()});

  function update(): void {
    const k = 2 ** Number(slider.value);
    const bars = modes.flatMap((mode) => barsOf(mode.mode, mode.ops ?? [], k));
    const totals = modes.map((mode) => {
      const own = bars.filter((bar) => bar.mode === mode.mode);
      const total = own.reduce((sum, bar) => sum + bar.x2 - bar.x1, 0);
      const matmul = own.reduce((sum, bar) => sum + (bar.matmul ? bar.x2 - bar.x1 : 0), 0);
      return {mode: mode.mode, total, share: total > 0 ? matmul / total : 0, end: Math.max(0, ...own.map((bar) => bar.x2))};
    });
    const factor = `${Number(k.toFixed(k < 4 ? 2 : 1))}×`;
    answer.textContent = `${k === 1 ? "as measured" : `matmul ${factor} faster`}: ` +
      totals.map((t) => `${t.mode} ${duration(t.total)}, matmul ${Math.round(t.share * 100)} %`).join(" · ");
    slider.setAttribute("aria-valuetext", answer.textContent);
    const labels = width > 600;
    chart.replaceChildren(plot({
      width,
      height: 46 + 54 * modes.length,
      marginLeft: 60,
      marginRight: labels ? 80 : 12,
      marginBottom: 30,
      x: {domain: [0, longest], label: null},
      y: {type: "band", domain: modes.map((mode) => mode.mode), label: null, padding: 0.25},
      marks: [
        gridX({stroke: ink.line, strokeOpacity: 1, ticks: 5}),
        axisX({ticks: width < 500 ? 3 : 6, tickFormat: (v: number) => duration(v), fill: ink.quiet, stroke: "none"}),
        axisY({fill: ink.text, stroke: "none"}),
        barX(bars, {x1: "x1", x2: "x2", y: "mode", fill: "colour", stroke: "var(--page)", strokeWidth: 0.5, className: "operations",
                    title: (bar) => `${bar.name}\n${duration(bar.x2 - bar.x1)}`, tip: {fill: "var(--page)", stroke: ink.line}}),
        ...(labels ? [text(totals, {x: "end", y: "mode", text: (t) => duration(t.total), textAnchor: "start", dx: 8, fill: ink.text, fontWeight: 600})] : []),
      ],
    }));
  }
  const legend = make("p", {class: "legend"});
  for (const [name, colour] of [["matmul", ink.matmul], ["compute-bound", regimes.compute], ["bandwidth-bound", regimes.bandwidth], ["overhead", regimes.overhead]] as const) {
    legend.append(make("span", {class: "swatch", style: `background:${colour}`}), ` ${name} `);
  }
  update();
  return make("div", {}, legend, chart, make("label", {class: "slider"}, "matmul faster: ", slider, answer));
}
