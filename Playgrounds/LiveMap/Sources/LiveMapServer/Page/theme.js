// The colours of the style sheet, for the canvases.

const NAMES = [
  "sea", "land", "coast", "border", "grid", "label", "halo", "ink", "accent", "line", "weak", "medium",
  "strong", "great", "balloon", "cluster",
];

/** Returns a new object after every change of the colours. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colors = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return {
    ...colors, font: getComputedStyle(document.body).fontFamily, density: devicePixelRatio,
    /** The three bytes of a colour in the form `#rrggbb`. */
    rgb(name) { return [1, 3, 5].map((at) => parseInt(colors[name].slice(at, at + 2), 16)); },
  };
}

/** Follows the system until the user has chosen. */
export function followTheme(toggle, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const isDark = (localStorage.getItem("theme") ?? (system.matches ? "dark" : "light")) === "dark";
    document.documentElement.classList.toggle("dark", isDark);
    if (toggle) toggle.checked = isDark;
    changed();
  };
  toggle?.addEventListener("change", () => {
    localStorage.setItem("theme", toggle.checked ? "dark" : "light");
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
