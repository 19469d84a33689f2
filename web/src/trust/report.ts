/** What a repository would bring, grouped for people to read. Pure. */

import type { Brings, TrustReport } from "../../api/types";

export type Line = { readonly text: string; readonly file: string; readonly warning: string | null };
export type Group = { readonly title: string; readonly lines: readonly Line[] };

const ANSWERS = "Can approve tool calls in your place";
const REDIRECTS = "Can change where requests and keys go";

/** The groups that are not empty, those that run something first. */
export function groups(brings: Brings): Group[] {
  const line = (text: string, file: string, warning: string | null = null): Line => ({ text, file, warning });
  const names = (list: readonly string[]) => list.map((name) => line(name, ""));
  const all: Group[] = [
    { title: "Hooks", lines: brings.hooks.map((hook) => line(`${hook.event}: ${hook.command}`, hook.file, hook.can_answer ? ANSWERS : null)) },
    { title: "MCP servers", lines: brings.servers.map((server) => line(`${server.name}: ${server.target}`, server.file)) },
    { title: "Helper commands", lines: brings.helpers.map((helper) => line(`${helper.setting}: ${helper.command}`, helper.file)) },
    { title: "Git settings that start programs", lines: brings.git.map((one) => line(`${one.setting}: ${one.command}`, one.file)) },
    { title: "Environment variables", lines: brings.variables.map((one) => line(`${one.name}=${one.value}`, one.file, one.redirects ? REDIRECTS : null)) },
    { title: "Permission rules", lines: brings.rules.map((rule) => line(`${rule.effect}: ${rule.rule}`, rule.file)) },
    { title: "Plugins", lines: brings.plugins.map((name) => line(name, "", ANSWERS)) },
    { title: "Skills", lines: names(brings.skills) },
    { title: "Slash commands", lines: names(brings.commands) },
    { title: "Agents", lines: names(brings.agents) },
    { title: "Instructions for Claude", lines: names(brings.instructions) },
    { title: "Other settings", lines: names(brings.settings) },
    { title: "Not understood", lines: names(brings.unclear) },
  ];
  return all.filter((group) => group.lines.length > 0);
}

/** Whether trust also lets hooks answer approvals, which needs an extra yes. */
export function canAnswer(brings: Brings): boolean {
  return brings.plugins.length > 0 || brings.hooks.some((hook) => hook.can_answer);
}

/** Kinds that a summary counts. */
const COUNTED = 4;

/** One line: "2 hooks, 1 MCP server", cut after the kinds that matter most. */
export function summary(brings: Brings): string {
  const kinds = groups(brings);
  if (kinds.length === 0) return "configuration files";
  const counts = kinds.slice(0, COUNTED).map(({ title, lines }) => `${lines.length} ${lines.length === 1 ? plural(title).replace(/s$/, "") : plural(title)}`);
  return counts.join(", ") + (kinds.length > COUNTED ? " and more" : "");
}

function plural(title: string): string {
  if (title === "Git settings that start programs") return "git settings";
  if (title === "Instructions for Claude") return "instruction files";
  return title.startsWith("MCP") ? title : title.charAt(0).toLowerCase() + title.slice(1);
}

/** Whether the question opens without a click: in a session that is loaded and has no event yet. */
export function asksByItself(report: TrustReport, session: { readonly loaded: boolean; readonly seq: number }): boolean {
  return report.standing === "undecided" && session.loaded && session.seq === 0;
}

/** Names a question, so that it is asked once: other content is another question. */
export function questionOf(report: TrustReport): string {
  return `${report.root}\n${report.digest}`;
}
