import "./style/tokens.css";
import "./style/base.css";

import { mount } from "svelte";

import App from "./App.svelte";

const target = document.getElementById("app");
if (target) mount(App, { target });

// Only where the client is built: in development every file changes all the time.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  void navigator.serviceWorker.register("/sw.js").catch(() => {
    // Without it the client works as well, only not while the daemon is away.
  });
}
