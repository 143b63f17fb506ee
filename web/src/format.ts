// Numbers with units, as the tables show them.

function digits(value: number, count = 3): string {
  return Number(value.toPrecision(count)).toString();
}

function prefixed(value: number, steps: readonly (readonly [number, string])[]): string {
  const size = Math.abs(value);
  for (const [step, name] of steps) if (size >= step) return `${digits(value / step)} ${name}`;
  const last = steps[steps.length - 1];
  return last === undefined ? digits(value) : `${digits(value / last[0])} ${last[1]}`;
}

export function duration(ns: number): string {
  return prefixed(ns, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);
}

export function bytes(value: number): string {
  return prefixed(value, [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]]);
}

export function si(value: number): string {
  return prefixed(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]).trim();
}

export function quantity(value: number, unit: string): string {
  if (unit === "ns") return duration(value);
  if (unit === "B") return bytes(value);
  return unit === "1" || unit === "" ? digits(value, 4) : `${si(value)} ${unit}`;
}
