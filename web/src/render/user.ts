/** How a message of a person reads: a slash command, or text. */

/** A slash command and what follows it. */
export type Command = { readonly name: string; readonly rest: string };

// As the CLI names them: plugin and server parts are joined by colons and underscores.
const COMMAND = /^\/([a-zA-Z][\w:.-]{0,63})(?:\s+([\s\S]*))?$/;

/** The command that a text is; none where it is something else, such as a path. */
export function commandOf(text: string): Command | null {
  const match = COMMAND.exec(text.trim());
  if (match === null) return null;
  return { name: match[1] ?? "", rest: match[2]?.trim() ?? "" };
}
