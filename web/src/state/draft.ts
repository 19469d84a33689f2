/**
 * A session while it is being changed: copies what changes, once, and leaves everything else as it is.
 *
 * Items are looked for from the end, since what changes is nearly always young.
 */

import type { ItemId } from "../../api/types";
import type { Item, ToolCallItem } from "./items";
import type { OpenText, SessionState } from "./state";

/** Where an item is: the calls that lead to it, by their places, then its own place. */
type Path = readonly number[];

/** The state in the making. */
export class Draft {
  #state: SessionState;
  /** The state is a copy of ours, which nobody else has seen. */
  #own = false;
  #items: Item[] | null = null;
  #open: Map<ItemId, OpenText> | null = null;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** What has become of it. */
  state(): SessionState {
    if (this.#items) this.#change({ items: this.#items });
    if (this.#open) this.#change({ open: this.#open });
    this.#items = null;
    this.#open = null;
    this.#own = false;
    return this.#state;
  }

  get seq(): number {
    return this.#state.seq;
  }

  get behind(): boolean {
    return this.#state.behind;
  }

  /** Everything but items, which have their own methods. */
  get now(): Omit<SessionState, "items" | "open"> {
    return this.#state;
  }

  get items(): readonly Item[] {
    return this.#items ?? this.#state.items;
  }

  set(part: Partial<Omit<SessionState, "items" | "open">>): void {
    this.#change(part);
  }

  /** An event is in. */
  took(seq: number): void {
    this.set({ seq, behind: false });
  }

  /** How much is known of an open item. */
  opened(item: ItemId): OpenText | undefined {
    return (this.#open ?? this.#state.open).get(item);
  }

  openItems(): readonly ItemId[] {
    return [...(this.#open ?? this.#state.open).keys()];
  }

  grew(item: ItemId, bytes: number): void {
    this.#open ??= new Map(this.#state.open);
    this.#open.set(item, { bytes });
  }

  /** It grows no more. */
  closed(item: ItemId): void {
    if (!this.opened(item)) return;
    this.#open ??= new Map(this.#state.open);
    this.#open.delete(item);
  }

  /**
   * Puts an item at the end: of the subagent that the call started, or of the main thread. Half-written
   * ones stay below all others, so that the order is that of the events for everybody, whether or not
   * they saw the pieces.
   */
  append(item: Item, parent: string | null): void {
    const call = parent === null ? null : this.findCall(parent);
    if (!call) {
      const items = this.#ownItems();
      items.splice(end(items, item), 0, item);
      return;
    }
    this.#edit(call, (owner) => {
      const tool = owner as ToolCallItem;
      return { ...tool, children: tool.children.toSpliced(end(tool.children, item), 0, item) };
    });
  }

  /** Changes the item at a place. */
  replace(path: Path, item: Item): void {
    this.#edit(path, () => item);
  }

  /** Takes an item out. */
  remove(path: Path): void {
    const place = path.at(-1)!;
    if (path.length === 1) {
      this.#ownItems().splice(place, 1);
      return;
    }
    this.#edit(path.slice(0, -1), (owner) => {
      const tool = owner as ToolCallItem;
      return { ...tool, children: tool.children.toSpliced(place, 1) };
    });
  }

  /** The last item that fits, and where it is. */
  find(fits: (item: Item) => boolean): { path: Path; item: Item } | null {
    const path = search(this.items, fits);
    return path && { path, item: this.#at(path) };
  }

  /** The item with this number. */
  findItem(id: ItemId): { path: Path; item: Item } | null {
    return this.find((item) => "item" in item && item.item === id);
  }

  /** Where the call is. */
  findCall(toolCallId: string): Path | null {
    return search(this.items, (item) => item.kind === "tool" && item.toolCallId === toolCallId);
  }

  /** Changes the call, if it is there. */
  updateCall(toolCallId: string, change: (call: ToolCallItem) => ToolCallItem): boolean {
    const path = this.findCall(toolCallId);
    if (path) this.#edit(path, (item) => change(item as ToolCallItem));
    return path !== null;
  }

  /** Copied once, not for each of thousands of events. */
  #change(part: Partial<SessionState>): void {
    if (!this.#own) this.#state = { ...this.#state };
    this.#own = true;
    Object.assign(this.#state, part);
  }

  #at(path: Path): Item {
    let list = this.items;
    for (const place of path.slice(0, -1)) list = (list[place] as ToolCallItem).children;
    return list[path.at(-1)!]!;
  }

  #ownItems(): Item[] {
    return (this.#items ??= [...this.#state.items]);
  }

  #edit(path: Path, change: (item: Item) => Item): void {
    const edited = (list: readonly Item[], depth: number): Item => {
      const item = list[path[depth]!]!;
      if (depth === path.length - 1) return change(item);
      const owner = item as ToolCallItem;
      return { ...owner, children: owner.children.with(path[depth + 1]!, edited(owner.children, depth + 1)) };
    };
    const items = this.#ownItems();
    items[path[0]!] = edited(items, 0);
  }
}

/** Where an item is appended. */
function end(list: readonly Item[], item: Item): number {
  let place = list.length;
  while (item.seq !== null && place > 0 && list[place - 1]!.seq === null) place -= 1;
  return place;
}

function search(list: readonly Item[], fits: (item: Item) => boolean): Path | null {
  for (let place = list.length - 1; place >= 0; place -= 1) {
    const item = list[place]!;
    if (fits(item)) return [place];
    if (item.kind === "tool" && item.children.length > 0) {
      const inside = search(item.children, fits);
      if (inside) return [place, ...inside];
    }
  }
  return null;
}
