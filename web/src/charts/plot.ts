// What all charts share: the parts of Plot that are used, colours of the style sheet, names that fit.
import {plot as draw, type PlotOptions} from "@observablehq/plot";

export * from "@observablehq/plot";

/** Custom properties of the style sheet: safe for colour-blind readers, light and dark. */
export const ink = {
  text: "var(--text)",
  quiet: "var(--quiet)",
  line: "var(--line)",
  good: "var(--good)",
  bad: "var(--bad)",
  caution: "var(--caution)",
  accent: "var(--accent)",
  matmul: "var(--matmul)",
} as const;

export const series = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)"];

export function plot(options: PlotOptions): Element {
  return draw({style: {fontFamily: "inherit", fontSize: "12px", overflow: "visible", background: "none"}, ...options});
}

/** The beginning and the end of a name around "…". */
export function shorten(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}

/** Room for the longest of the names, at most a share of the chart. */
export function marginFor(names: string[], width: number): {margin: number; characters: number} {
  const longest = Math.max(4, ...names.map((name) => name.length));
  const characters = Math.max(8, Math.min(longest, Math.floor((width * (width < 500 ? 0.36 : 0.33)) / 6.6)));
  return {margin: Math.min(longest, characters) * 6.6 + 18, characters};
}

/** Powers of ten within the range: few enough for their names not to touch each other. */
export function decades(low: number, high: number, most = 8): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks: number[] = [];
  for (let e = first; e <= last; e += step) ticks.push(10 ** e);
  return ticks;
}
