// Makes the tables of the page sortable, searchable and paged. Rows are those that the page was written with: they are
// taken out of the document once, and only those of the page at hand are put back.
import {find, make} from "./dom.js";

// Made once: asking for the order of each pair anew takes a second for five thousand rows.
const words = new Intl.Collator(undefined, {numeric: true});

const rowsOfAPage = 100;
const rowsWorthSearching = 12;

/** A row with those that belong to it and move with it. */
interface Group {
  rows: HTMLTableRowElement[];
  words: string;
}

function groupsOf(table: HTMLTableElement): Group[] {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const rest = table.closest(".wide")?.nextElementSibling;
  if (rest instanceof HTMLElement && rest.matches("noscript[data-rest]")) {
    const more = new DOMParser().parseFromString(rest.textContent ?? "", "text/html");
    for (const row of find<HTMLTableRowElement>("tbody tr", more)) rows.push(document.importNode(row, true));
    rest.remove();
  }
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups[groups.length - 1];
    const words = (row.textContent ?? "").toLowerCase();
    if (row.classList.contains("sub") && last !== undefined) {
      last.rows.push(row);
      last.words += " " + words;
    } else {
      groups.push({rows: [row], words});
    }
  }
  return groups;
}

function keyOf(group: Group, column: number): number | string | undefined {
  const cell = group.rows[0]?.cells[column];
  if (cell === undefined) return undefined;
  const value = cell.dataset["v"];
  if (value !== undefined) return Number(value);
  const text = cell.textContent ?? "";
  return text === "" || text === "–" ? undefined : text;
}

/** Numbers before texts, what has no value last whichever way it is sorted. */
function order(a: number | string | undefined, b: number | string | undefined, direction: number): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return direction * words.compare(String(a), String(b));
}

export function enhance(table: HTMLTableElement): void {
  const groups = groupsOf(table);
  const body = table.tBodies[0];
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const box = table.closest<HTMLElement>(".wide");
  if (box !== null) {
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `table: ${table.dataset["table"] ?? ""}`);
  }
  if (body === undefined || groups.length < 2) return;
  let chosen = groups;
  let sorted = {column: -1, direction: 1};
  let page = 0;

  const state = make("span", {class: "quiet", role: "status"});
  const back = make("button", {type: "button", click: () => turn(-1)}, "‹ previous");
  const forth = make("button", {type: "button", click: () => turn(1)}, "next ›");
  const pages = () => Math.max(1, Math.ceil(chosen.length / rowsOfAPage));

  function show(): void {
    page = Math.min(Math.max(page, 0), pages() - 1);
    const visible = chosen.slice(page * rowsOfAPage, (page + 1) * rowsOfAPage);
    body?.replaceChildren(...visible.flatMap((group) => group.rows));
    const all = chosen.length === groups.length ? `${groups.length}` : `${chosen.length} of ${groups.length}`;
    state.textContent = pages() > 1 ? `${all}, page ${page + 1} of ${pages()}` : all;
    back.disabled = page === 0;
    forth.disabled = page >= pages() - 1;
    back.hidden = forth.hidden = pages() === 1;
  }
  function turn(by: number): void {
    page += by;
    show();
  }
  function choose(text: string): void {
    const wanted = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    chosen = groups.filter((group) => wanted.every((word) => group.words.includes(word)));
    page = 0;
    sort();
  }
  function sort(): void {
    if (sorted.column >= 0) {
      const keys = new Map(chosen.map((group) => [group, keyOf(group, sorted.column)]));
      chosen = [...chosen].sort((a, b) => order(keys.get(a), keys.get(b), sorted.direction));
    }
    show();
  }

  heads.forEach((head, column) => {
    const name = head.textContent ?? "";
    if (name === "") return;
    const button = make("button", {
      type: "button",
      click: () => {
        sorted = {column, direction: sorted.column === column ? -sorted.direction : 1};
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sorted.direction > 0 ? "ascending" : "descending");
        page = 0;
        sort();
      },
    }, name);
    head.replaceChildren(button);
  });
  if (groups.length >= rowsWorthSearching) {
    const name = table.dataset["table"] ?? "table";
    const search = make("input", {type: "search", placeholder: "search", "aria-label": `search ${name}`,
                                  input: () => choose(search.value)});
    table.closest(".wide")?.before(make("div", {class: "controls"}, search, state, back, forth));
  }
  show();
}
