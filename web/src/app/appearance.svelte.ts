/** Light, dark, or as the system has it. Kept in this browser. */

export type Theme = "system" | "light" | "dark";

const PLACE = "pilothouse.theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

class Appearance {
  theme = $state<Theme>("system");

  constructor() {
    const kept = localStorage.getItem(PLACE);
    this.set(THEMES.find((theme) => theme === kept) ?? "system");
  }

  set(theme: Theme): void {
    this.theme = theme;
    if (theme === "system") localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, theme);
    document.documentElement.dataset["theme"] = theme;
  }
}

export const appearance = new Appearance();
