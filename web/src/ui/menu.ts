import type { IconName } from "./icons";

/** Something in a menu. */
export type Choice = {
  readonly id: string;
  readonly name: string;
  readonly note?: string;
  readonly icon?: IconName;
  /** Whether it is what holds now; absent where nothing is chosen but done. */
  readonly chosen?: boolean;
  readonly disabled?: boolean;
  readonly tone?: "danger";
  /** A line stands above it. */
  readonly divided?: boolean;
  pick(): void;
};
