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
    await page.getByRole("list", { name: "Policies" }).getByRole("button", { name: /supervised/ }).click();
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

describe("MCP servers", () => {
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
