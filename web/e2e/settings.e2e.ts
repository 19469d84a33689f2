/** Settings: policies and what they would have said, MCP servers, appearance, notifications. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Bed, script, until } from "./bed";
import { look, LOOKS } from "./look";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
  const { id } = await bed.session({ title: "Recorded", profile: { allowed_tools: ["Bash"] } });
  await bed.say(id, script('tool Bash {"command":"git status"}', 'tool Bash {"command":"touch harmless"}', "---", "say Done."));
  await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

describe("policies", () => {
  it("are copied, changed, refused when wrong, tried on what was done, and kept", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/settings`);
    await page.getByRole("list", { name: "Policies" }).getByRole("button", { name: /^supervised/ }).click();
    await page.getByText("This comes along and stays as it is.").waitFor();
    await page.getByRole("button", { name: "Copy to change" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("mine");
    const rules = page.getByRole("textbox", { name: "Rules" });
    await rules.fill('[[rule]]\ntool = "Bash"\nthen = "perhaps"\n');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    await rules.fill('[[rule]]\ntool = "Bash"\ncommand = "git status"\nthen = "allow"\n\n[[rule]]\ntool = "Bash"\ndeny = "Nothing else."\n');
    await page.getByRole("combobox", { name: "Sessions" }).selectOption("Recorded");
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("1 allowed").waitFor();
    await page.getByText("1 denied").waitFor();
    await page.getByText(/allowed by rule 1/).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("list", { name: "Policies" }).getByRole("button", { name: /mine/ }).waitFor();
    expect((await bed.api<{ text: string }>("GET", "/policies/mine")).text).toContain("Nothing else.");
  });
});

describe("what is not saved of a policy", () => {
  it("is there again after a look at another one, and marked meanwhile", async () => {
    await bed.api("PUT", "/policies/draft", { text: '[[rule]]\ntool = "Read"\nthen = "allow"\n' });
    const page = await bed.browser();
    await page.goto(`${bed.address}/settings`);
    const list = page.getByRole("list", { name: "Policies" });
    await list.getByRole("button", { name: /draft/ }).click();
    const text = page.getByRole("textbox", { name: "draft" });
    await text.fill("# half a thought");
    await list.getByRole("button", { name: /^supervised/ }).click();
    await page.getByText("This comes along and stays as it is.").waitFor();
    await list.getByRole("button", { name: /draft/ }).getByText("not saved").waitFor();
    await page.getByRole("link", { name: "Appearance" }).click();
    await page.getByRole("link", { name: "Policies" }).click();
    await list.getByRole("button", { name: /draft/ }).click();
    expect(await text.inputValue()).toBe("# half a thought");
    await page.getByRole("button", { name: "Undo changes" }).click();
    expect(await text.inputValue()).toContain("Read");
    await page.getByText("not saved").waitFor({ state: "detached" });
  });
});

describe("a page that cannot be drawn", () => {
  it("says so and leaves the rest alone", async () => {
    const page = await bed.browser();
    await page.route(/\/api\/v1\/policies$/, (route) => route.fulfill({ json: { items: [null] } }));
    await page.goto(`${bed.address}/settings/policies`);
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await look(page, "page-broken", "desktop-light");
    await page.getByRole("link", { name: "Pilothouse, all sessions" }).click();
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
    // It was told to whoever looks for faults, too.
    await until(() => bed.complaints.length > 0, "the fault to be told");
    await page.close();
    bed.complaints.splice(0);
  });
});

describe("MCP servers", () => {
  it("of a session are asked of its CLI, switched off and on, and connected anew", async () => {
    const { id } = await bed.session({ title: "Charts", profile: { mcp_servers: { charts: { type: "sdk", name: "charts" } } } });
    const page = await bed.browser();
    await page.goto(`${bed.address}/settings/mcp#${id}`);
    await page.getByRole("button", { name: "Start it" }).click();
    const charts = page.getByRole("listitem").filter({ hasText: "charts" });
    const servers = () => bed.api<{ mcpServers: { name: string; status: string }[] }>("GET", `/sessions/${id}/mcp`);
    // Nobody here serves it: that is told as it is.
    await charts.getByText("failed", { exact: true }).waitFor();
    await charts.getByRole("switch", { name: "Use charts" }).uncheck();
    await charts.getByText("off", { exact: true }).waitFor();
    expect((await servers()).mcpServers).toMatchObject([{ name: "charts", status: "disabled" }]);
    await charts.getByRole("switch", { name: "Use charts" }).check();
    await charts.getByText("off", { exact: true }).waitFor({ state: "detached" });
    await charts.getByRole("button", { name: "Reconnect" }).click();
    await charts.getByText("failed", { exact: true }).waitFor();
  });

  it("that cannot be switched stay as they are, also the switch", async () => {
    const page = await bed.browser();
    await page.route(/\/api\/v1\/sessions\/[^/]+\/mcp/, (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ json: { mcpServers: [{ name: "charts", status: "connected", tools: [{ name: "draw" }, { name: "draw" }] }, { name: "charts", status: "failed" }] } })
        : route.fulfill({ status: 422, json: { type: "", title: "", status: 422, detail: "Not now." } }),
    );
    await page.goto(`${bed.address}/settings/mcp`);
    const toggle = page.getByRole("switch", { name: "Use charts" }).first();
    await toggle.click();
    await page.getByText("Not now.").waitFor();
    await until(() => toggle.isChecked(), "the switch to be as the server is");
    // Names are others': the same twice is no trouble.
    await page.getByText("2 tools").waitFor();
  });

  it("are shown as they are, switched off and connected anew", async () => {
    const page = await bed.browser();
    const asked: string[] = [];
    let state = "connected";
    // The simulated CLI has no servers of its own.
    await page.route(/\/api\/v1\/sessions\/[^/]+\/mcp/, async (route) => {
      const request = route.request();
      asked.push(`${request.method()} ${new URL(request.url()).pathname.split("/mcp")[1]} ${request.postData() ?? ""}`.trim());
      if (request.method() === "PUT") state = "disabled";
      if (request.method() !== "GET") return route.fulfill({ status: 204 });
      const mcpServers = [
        { name: "charts", status: state, tools: [{ name: "draw" }, { name: "erase" }] },
        { name: "weather", status: "failed", error: "connect ECONNREFUSED" },
      ];
      return route.fulfill({ json: { mcpServers } });
    });
    await page.goto(`${bed.address}/settings/mcp`);
    const charts = page.getByRole("listitem").filter({ hasText: "charts" });
    await charts.getByText("connected").waitFor();
    await page.getByText("connect ECONNREFUSED").waitFor();
    await page.getByRole("listitem").filter({ hasText: "weather" }).getByRole("button", { name: "Reconnect" }).click();
    await until(() => asked.includes("POST /weather/reconnect"), "the server to be connected anew");
    await charts.getByRole("switch", { name: "Use charts" }).uncheck();
    await charts.getByText("off", { exact: true }).waitFor();
    expect(asked).toContain('PUT /charts {"enabled":false}');
  });

  it("of a session that does not run are known once it does", async () => {
    const { id } = await bed.session({ title: "Asleep" });
    const page = await bed.browser();
    await page.goto(`${bed.address}/settings/mcp#${id}`);
    await page.getByText("This session does not run").waitFor();
    await page.getByRole("button", { name: "Start it" }).click();
    await page.getByText("This session has no MCP servers").waitFor();
  });
});

describe("appearance", () => {
  it("is chosen and kept", async () => {
    const page = await bed.browser({ colorScheme: "light" });
    await page.goto(`${bed.address}/settings/appearance`);
    await page.getByRole("radio", { name: /Dark/ }).check();
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    expect(await scheme()).toBe("dark");
    await page.reload();
    await page.getByRole("radio", { name: /Dark/, checked: true }).waitFor();
    expect(await scheme()).toBe("dark");
  });
});

describe("notifications", () => {
  it("tell of a request, unless it is looked at", async () => {
    const page = await bed.browser({ permissions: ["notifications"] });
    await page.addInitScript(() => {
      const shown: string[] = [];
      Object.assign(globalThis, { shown });
      const show = (title: string, options?: NotificationOptions) => {
        // Nothing is answered by a tap on a notification: some requests must be seen first.
        if (options && "actions" in options) shown.push("a notification that can be answered");
        shown.push(`${title}: ${options?.body ?? ""}`);
      };
      ServiceWorkerRegistration.prototype.showNotification = async (title, options) => show(title, options);
      const Fake = class extends EventTarget {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title: string, options?: NotificationOptions) {
          super();
          show(title, options);
        }
      };
      Object.assign(globalThis, { Notification: Fake });
    });
    await page.goto(`${bed.address}/settings/notifications`);
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText(/^On\./).waitFor();
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    const { id } = await bed.session({ title: "Ringing" });
    await bed.say(id, script('tool Bash {"command":"touch rung"}', "---", 'tool Bash {"command":"touch again"}'));
    await until(async () => (await shown()).includes("Ringing: Run this command? touch rung"), "the notification");
    // Nobody has to be told of what they see.
    await page.getByRole("link", { name: /Ringing/ }).first().click();
    await page.locator("section[data-approval].armed").waitFor();
    await page.keyboard.press("y");
    await page.locator("section[data-approval]").getByText("touch again", { exact: true }).first().waitFor();
    expect(await shown()).toHaveLength(1);
    await bed.api("DELETE", `/sessions/${id}`);
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("pictures", async () => {
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/settings/policies`);
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText(/Of \d+ calls/).waitFor();
    await look(page, "settings-policies", name);
    for (const section of ["mcp", "appearance", "notifications"]) {
      await page.goto(`${bed.address}/settings/${section}`);
      await page.getByRole("heading", { level: 2 }).first().waitFor();
      await look(page, `settings-${section}`, name);
    }
  });
});
