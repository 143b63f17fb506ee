// Sections of which one is shown at a time, such as the heat tables of the engines.
import {find, make} from "./dom.js";

export function addChoices(parent: ParentNode): void {
  const sections = find<HTMLElement>("section.choice:not(.ready)", parent);
  if (sections.length < 2) return;
  const buttons = sections.map((section, index) => make("button", {
    type: "button",
    role: "tab",
    click: () => select(index),
    keydown: (event) => {
      const step = (event as KeyboardEvent).key === "ArrowRight" ? 1 : (event as KeyboardEvent).key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      const next = (index + step + sections.length) % sections.length;
      select(next);
      buttons[next]?.focus();
    },
  }, section.querySelector("h3")?.textContent ?? ""));
  function select(chosen: number): void {
    sections.forEach((section, index) => (section.hidden = index !== chosen));
    buttons.forEach((button, index) => {
      button.setAttribute("aria-selected", String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
  }
  for (const section of sections) section.classList.add("ready");
  sections[0]?.before(make("div", {class: "tabs", role: "tablist", "aria-label": "What the table shows"}, ...buttons));
  select(0);
}
