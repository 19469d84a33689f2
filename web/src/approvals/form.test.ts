import { describe, expect, it } from "vitest";

import { contentOf, fieldsOf, troubleWith } from "./form";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name" },
    age: { type: "integer", default: 7 },
    sure: { type: "boolean", default: true },
    colour: { type: "string", enum: ["red", "blue"] },
    more: { type: "object" },
  },
  required: ["name"],
};

describe("a form", () => {
  it("has a field for each property", () => {
    const fields = fieldsOf(schema);
    expect(fields.map((field) => field.kind)).toEqual(["text", "number", "boolean", "choice", "json"]);
    expect(fields[0]).toMatchObject({ title: "Your name", required: true, initial: "" });
    expect(fields[1]?.initial).toBe("7");
    expect(fields[2]?.initial).toBe(true);
    expect(fieldsOf("nonsense")).toEqual([]);
    // A server may offer the same twice, or what reads the same.
    expect(fieldsOf({ properties: { one: { enum: [1, "1", 2] } } })[0]?.choices).toEqual(["1", "2"]);
  });

  it("says what is wrong, and gives back what was filled in", () => {
    const fields = fieldsOf(schema);
    const [name, age, , , more] = fields;
    expect(troubleWith(name!, " ")).not.toBeNull();
    expect(troubleWith(age!, "seven")).not.toBeNull();
    expect(troubleWith(more!, "{")).not.toBeNull();
    expect(troubleWith(more!, "")).toBeNull();
    const values = { name: "Ada", age: "36", sure: false, colour: "", more: '{"a":1}' };
    expect(contentOf(fields, values)).toEqual({ name: "Ada", age: 36, sure: false, more: { a: 1 } });
  });
});
