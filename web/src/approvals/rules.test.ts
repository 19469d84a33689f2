import { describe, expect, it } from "vitest";

import { destination, kept, policyOf, suggestionOf, unticked, updateOf, without, written, type Rule } from "./rules";

const allow = (...rules: Rule[]) => policyOf([updateOf({ type: "addRules", rules, behavior: "allow", destination: "session" })]);

describe("a rule", () => {
  it("is written as the CLI writes it", () => {
    expect(written({ toolName: "Bash", ruleContent: "npm test:*" })).toBe("Bash(npm test:*)");
    expect(written({ toolName: "WebSearch" })).toBe("WebSearch");
  });

  it("becomes a policy that matches the same", () => {
    expect(allow({ toolName: "Bash", ruleContent: 'echo "a":*' })).toBe(
      '[[rule]]\ntool = ["Bash"]\ncommand = ["echo \\"a\\"","echo \\"a\\" *"]\nthen = "allow"\n',
    );
    expect(allow({ toolName: "Bash", ruleContent: "ls -l" })).toContain('command = ["ls -l"]');
    expect(allow({ toolName: "Edit", ruleContent: "/src/**" })).toContain('path = ["src/**"]');
    expect(allow({ toolName: "Read", ruleContent: "//etc/**" })).toContain('path = ["/etc/**"]');
    expect(allow({ toolName: "Read", ruleContent: "*.md" })).toContain('path = ["**/*.md"]');
    expect(allow({ toolName: "mcp__github" })).toContain('tool = ["mcp__github","mcp__github__*"]');
    expect(allow({ toolName: "WebSearch" })).toContain('tool = ["WebSearch"]');
  });

  it("of another shape is passed on as it is", () => {
    for (const odd of [{ type: "addRules", rules: [{ tool: "Bash" }] }, { type: "addRules", rules: [null] }, { type: "addDirectories", directories: [7] }]) {
      expect(updateOf(odd)).toEqual({ type: "other", raw: odd });
    }
    expect(updateOf({ type: "addRules", rules: [{ toolName: "Bash", ruleContent: null }] }).type).toBe("addRules");
  });

  it("that no policy can say is not guessed at", () => {
    expect(allow({ toolName: "WebFetch", ruleContent: "domain:example.org" })).toBeNull();
    expect(policyOf([updateOf({ type: "removeRules", rules: [] })])).toBeNull();
    expect(policyOf([])).toBeNull();
  });
});

describe("an update", () => {
  it("goes elsewhere, but a mode stays with its session", () => {
    const rules = updateOf({ type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "localSettings" });
    expect(kept(rules, "userSettings")).toMatchObject({ destination: "userSettings" });
    const mode = updateOf({ type: "setMode", mode: "acceptEdits", destination: "session" });
    expect(kept(mode, "userSettings")).toBe(mode);
  });

  it("that is not known is passed on as it is", () => {
    const strange = { type: "somethingNew", what: [1] };
    expect(suggestionOf(updateOf(strange))).toBe(strange);
    expect(updateOf(null)).toEqual({ type: "other", raw: null });
    expect(destination("elsewhere").name).toBe("elsewhere");
  });
});

describe("what is ticked at first", () => {
  const rules = updateOf({ type: "addRules", rules: [{ toolName: "Read" }, { toolName: "Bash" }], behavior: "allow", destination: "session" });
  const mode = updateOf({ type: "setMode", mode: "acceptEdits", destination: "session" });
  const directories = updateOf({ type: "addDirectories", directories: ["/a"], destination: "session" });

  it("is the rules, and nothing that changes the session besides", () => {
    expect([...unticked([rules, directories, mode])]).toEqual([1, 2]);
    expect([...unticked([rules])]).toEqual([]);
  });

  it("is what there is, without rules", () => {
    expect([...unticked([mode])]).toEqual([]);
  });

  it("can lose a rule", () => {
    if (rules.type !== "addRules") throw new Error("not rules");
    expect(without(rules, 0)).toMatchObject({ rules: [{ toolName: "Bash" }] });
  });
});
