/** What was chosen so far, and what is sent of it. Pure. */

import type { AskedQuestion, QuestionReplyInput } from "../../api/types";

/** An answer in the making. */
export type Answer = { chosen: string[]; isOther: boolean; other: string };

export function nothingYet(): Answer {
  return { chosen: [], isOther: false, other: "" };
}

export function isAnswered(answer: Answer): boolean {
  return answer.chosen.length > 0 || (answer.isOther && answer.other.trim() !== "");
}

/** The replies; questions without an answer are left out, which skips them. */
export function repliesTo(questions: readonly AskedQuestion[], answers: readonly Answer[]): QuestionReplyInput[] {
  return questions.flatMap((question, at) => {
    const answer = answers[at];
    if (!answer || !isAnswered(answer)) return [];
    const other = answer.isOther && answer.other.trim() !== "" ? [answer.other.trim()] : [];
    // In the order in which they were offered.
    const labels = (question.options ?? []).map((option) => option.label).filter((label) => answer.chosen.includes(label));
    // Two options of the same name are one answer.
    return [{ question: question.question, answers: [...new Set(labels), ...other] }];
  });
}
