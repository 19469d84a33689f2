/** Forms that MCP servers ask for: flat JSON Schema to fields, and what was filled in back. Pure. */

/** A field of a form. */
export type Field = {
  readonly name: string;
  readonly title: string;
  readonly note: string | null;
  readonly required: boolean;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json";
  readonly choices: readonly string[];
  readonly initial: string | boolean;
};

type Loose = { readonly [key: string]: unknown };

const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The fields of a form; none where it is not a form of this kind. */
export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isLoose(schema) || !isLoose(schema["properties"])) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, of]) => {
    const loose = isLoose(of) ? of : {};
    const choices = Array.isArray(loose["enum"]) ? [...new Set(loose["enum"].map(String))] : [];
    const kind = choices.length > 0 ? "choice" : kindOf(loose["type"]);
    const given = loose["default"];
    const initial = kind === "boolean" ? given === true : given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given);
    return { name, title: text(loose["title"]) ?? name, note: text(loose["description"]), required: required.includes(name), kind, choices, initial };
  });
}

function kindOf(type: unknown): Field["kind"] {
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/** What is wrong with a value; none where it is right. */
export function troubleWith(field: Field, value: string | boolean): string | null {
  if (typeof value === "boolean") return null;
  if (value.trim() === "") return field.required ? "This is needed." : null;
  if (field.kind === "number" && Number.isNaN(Number(value))) return "This must be a number.";
  if (field.kind === "json" && parse(value) === undefined) return "This must be JSON.";
  return null;
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

/** What was filled in; what was left empty is left out. */
export function contentOf(fields: readonly Field[], values: Readonly<Record<string, string | boolean>>): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.name] ?? "";
    if (value === "") continue;
    content[field.name] = field.kind === "number" ? Number(value) : field.kind === "json" ? parse(String(value)) : value;
  }
  return content;
}
