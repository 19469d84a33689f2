import { describe, expect, it } from "vitest";

import { isAnswered, nothingYet, repliesTo } from "./questions";

const options = [{ label: "Red" }, { label: "Blue" }];

describe("replies", () => {
  it("keep the order of the offer and end with words of one's own", () => {
    const question = { question: "Which?", multi_select: true, options };
    const answer = { chosen: ["Blue", "Red"], isOther: true, other: " Green " };
    expect(repliesTo([question], [answer])).toEqual([{ question: "Which?", answers: ["Red", "Blue", "Green"] }]);
  });

  it("name an option once, also where the model offers it twice", () => {
    const question = { question: "Which?", options: [...options, { label: "Red" }] };
    expect(repliesTo([question], [{ chosen: ["Red"], isOther: false, other: "" }])).toEqual([{ question: "Which?", answers: ["Red"] }]);
  });

  it("leave out what was not answered", () => {
    const questions = [{ question: "A?" }, { question: "B?" }];
    const own = { chosen: [], isOther: true, other: "so" };
    expect(repliesTo(questions, [nothingYet(), own])).toEqual([{ question: "B?", answers: ["so"] }]);
    expect(isAnswered({ chosen: [], isOther: true, other: "  " })).toBe(false);
    expect(isAnswered({ chosen: [], isOther: false, other: "so" })).toBe(false);
  });
});
