/** Where the page is: its address, as a closed list of places. */

/** A place. */
export type Place =
  | { readonly at: "home" }
  | { readonly at: "session"; readonly session: string; readonly view: SessionView; readonly seq: number | null }
  | { readonly at: "approvals" }
  | { readonly at: "pictures" }
  | { readonly at: "settings"; readonly section: string | null }
  | { readonly at: "login" }
  | { readonly at: "nowhere" };

/** What is shown of a session. */
export type SessionView = "talk" | "raw" | "timeline";

const VIEWS: readonly SessionView[] = ["talk", "raw", "timeline"];

/** The place of an address. */
export function placeOf(path: string, hash = ""): Place {
  const [first, second, third] = path.split("/").filter(Boolean);
  switch (first) {
    case undefined:
      return { at: "home" };
    case "login":
      return { at: "login" };
    case "approvals":
      return { at: "approvals" };
    case "pictures":
      return { at: "pictures" };
    case "settings":
      return { at: "settings", section: second ?? null };
    case "s": {
      const view = VIEWS.find((view) => view === (third ?? "talk"));
      if (!second || !view) return { at: "nowhere" };
      const seq = /^#e(\d+)$/.exec(hash)?.[1];
      return { at: "session", session: second, view, seq: seq ? Number(seq) : null };
    }
    default:
      return { at: "nowhere" };
  }
}

/** The address of a session. */
export function sessionPath(session: string, view: SessionView = "talk", seq?: number): string {
  const end = view === "talk" ? "" : `/${view}`;
  return `/s/${session}${end}${seq === undefined ? "" : `#e${seq}`}`;
}

class Route {
  place = $state.raw<Place>(placeOf(location.pathname, location.hash));

  constructor() {
    addEventListener("popstate", () => this.#moved());
    // Links are links; those within the client need no reload.
    document.addEventListener("click", (event) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
      if (link.pathname.startsWith("/api/")) return;
      event.preventDefault();
      this.go(link.pathname + link.hash);
    });
  }

  /** Goes somewhere. */
  go(address: string, how: "push" | "replace" = "push"): void {
    if (how === "push") history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.#moved();
  }

  #moved(): void {
    this.place = placeOf(location.pathname, location.hash);
  }
}

/** The address of this page. */
export const route = new Route();
