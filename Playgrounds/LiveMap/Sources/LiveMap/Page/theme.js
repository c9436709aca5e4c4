// The colours of the style sheet, for what is drawn.

const NAMES = [
  "sea", "land", "coast", "border", "grid", "label", "halo", "ink", "accent", "line", "weak", "medium",
  "strong", "great", "balloon", "cluster",
];

/** A new object whenever something of it changes. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colors = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return {
    ...Object.fromEntries(colors), font: getComputedStyle(document.body).fontFamily,
    density: devicePixelRatio,
  };
}

/** Follows the system until the user has chosen. */
export function followTheme(toggle, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const isDark = (localStorage.getItem("theme") ?? (system.matches ? "dark" : "light")) === "dark";
    document.documentElement.classList.toggle("dark", isDark);
    toggle.checked = isDark;
    changed();
  };
  toggle.addEventListener("change", () => {
    localStorage.setItem("theme", toggle.checked ? "dark" : "light");
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
