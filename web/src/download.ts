// The page's data as files: JSON as it is in the page, a row per benchmark and metric as CSV, and breakdowns as a trace that
// Perfetto and speedscope read.
import {type Breakdown, reportData, reportText} from "./data.js";
import {make, save} from "./dom.js";

function quoted(value: string | number | undefined): string {
  const text = value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(): string {
  const lines = [["run", "benchmark", "outcome", "metric", "unit", "better", "value", "low", "high", "n", "processes"]];
  for (const b of reportData().benchmarks) {
    const own = [String(b.run), b.name, b.outcome];
    if (b.metrics === undefined) lines.push([...own, "", "", "", "", "", "", "", ""]);
    for (const m of b.metrics ?? []) {
      const [point, low, high] = m.value ?? [];
      lines.push([...own, m.name, m.unit, m.better ?? "less", ...[point, low, high, m.n, m.processes].map((v) => String(v ?? ""))]);
    }
  }
  return lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
}

export function traceOf(breakdowns: Breakdown[]): object {
  const events: object[] = [];
  const name = (what: string, pid: number, tid: number, text: string) =>
    events.push({name: what, ph: "M", pid, tid, args: {name: text}});
  breakdowns.forEach((breakdown, p) => {
    name("process_name", p + 1, 0, breakdown.benchmark);
    (breakdown.modes ?? []).forEach((mode, t) => {
      name("thread_name", p + 1, t + 1, mode.mode);
      for (const op of mode.ops ?? []) {
        events.push({name: op.name, cat: op.kind, ph: "X", ts: op.start_ns / 1000, dur: op.duration_ns / 1000, pid: p + 1,
                     tid: t + 1, args: {shapes: op.shapes ?? [], flops: op.flops, bytes: op.bytes, regime: op.regime,
                                        share_of_roof: op.share_of_roof}});
      }
    });
  });
  return {traceEvents: events, displayTimeUnit: "ns"};
}

export function addDownloads(tools: HTMLElement): void {
  const button = (id: string, label: string, title: string, act: () => void) =>
    tools.append(make("button", {type: "button", id, title, click: act}, label));
  button("download-json", "JSON", "download the data as JSON", () => save("report.json", "application/json", reportText()));
  button("download-csv", "CSV", "download the figures as CSV", () => save("report.csv", "text/csv", csvOf()));
  // Asked of the document, so that the data need not be parsed to know.
  if (document.getElementById("breakdown") !== null) {
    button("download-trace", "Trace", "download the breakdowns for Perfetto or speedscope", () =>
      save("trace.json", "application/json", JSON.stringify(traceOf(reportData().breakdowns ?? []))));
  }
}
