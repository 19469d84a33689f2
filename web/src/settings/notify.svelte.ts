/** Notifications of this browser: whether they are wanted and allowed, and how one is shown. */

const PLACE = "pilothouse.notify";

/** What stands in the way; `on` where nothing does. */
export type Standing = "unsupported" | "blocked" | "off" | "on";

class Notify {
  #wanted = $state(localStorage.getItem(PLACE) === "on");
  #permission = $state<NotificationPermission | null>("Notification" in globalThis ? Notification.permission : null);

  get standing(): Standing {
    if (this.#permission === null) return "unsupported";
    if (this.#permission === "denied") return "blocked";
    return this.#wanted && this.#permission === "granted" ? "on" : "off";
  }

  /** Asks the browser, which asks its user. */
  async turnOn(): Promise<void> {
    this.#permission = await Notification.requestPermission();
    this.#wanted = this.#permission === "granted";
    if (this.#wanted) localStorage.setItem(PLACE, "on");
  }

  turnOff(): void {
    this.#wanted = false;
    localStorage.removeItem(PLACE);
  }

  /** Shows one; a later one about the same takes its place. It opens `path`, and answers nothing itself. */
  async show(title: string, body: string, path: string): Promise<void> {
    const options: NotificationOptions = { body, tag: path, icon: "/icon.svg", data: { path } };
    // Phones show only those of a service worker.
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker?.active) return worker.showNotification(title, options);
    const shown = new Notification(title, options);
    shown.addEventListener("click", () => {
      window.focus();
      dispatchEvent(new CustomEvent("pilothouse:open", { detail: path }));
      shown.close();
    });
  }
}

export const notify = new Notify();
