// Light or dark: the system's choice until the reader makes one.
import {make} from "./dom.js";

const key = "tare-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;  // not every browser lets a file remember
  }
}

export function addTheme(tools: HTMLElement): void {
  const root = document.documentElement;
  const dark = () => (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") root.dataset["theme"] = chosen;
  const button = make("button", {
    type: "button",
    id: "theme",
    click: () => {
      root.dataset["theme"] = dark() ? "light" : "dark";
      try {
        localStorage.setItem(key, root.dataset["theme"]);
      } catch {
        // then it holds until the page is closed
      }
      label();
    },
  });
  function label(): void {
    button.textContent = dark() ? "☀" : "☾";
    button.setAttribute("aria-label", dark() ? "light theme" : "dark theme");
    button.title = dark() ? "light theme" : "dark theme";
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
  tools.append(button);
}
