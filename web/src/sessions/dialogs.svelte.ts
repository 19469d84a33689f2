/** Which dialog about sessions is open. There is at most one. */

import type { SessionRow } from "../../api/types";

export type Shown =
  | { readonly dialog: "new"; readonly cwd?: string }
  | { readonly dialog: "import" }
  | { readonly dialog: "rename"; readonly row: SessionRow }
  | { readonly dialog: "tags"; readonly row: SessionRow }
  | { readonly dialog: "delete"; readonly row: SessionRow };

class Dialogs {
  shown = $state.raw<Shown | null>(null);

  show(shown: Shown): void {
    this.shown = shown;
  }

  close(): void {
    this.shown = null;
  }
}

export const dialogs = new Dialogs();
