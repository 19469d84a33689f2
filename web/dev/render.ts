/** All that a transcript can hold, on one page: `?theme=dark`, `?only=tool`. */

import { mount } from "svelte";
import Gallery from "./Gallery.svelte";
import "../src/style/tokens.css";
import "../src/style/base.css";
import "./gallery.css";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") === "dark" ? "dark" : "light";
const target = document.getElementById("gallery");
if (target !== null) mount(Gallery, { target, props: { only: query.get("only") } });
