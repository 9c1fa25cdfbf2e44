/** What an element may contain; lists are flattened, empty children are skipped. */
export type Child = Node | string | number | null | undefined | false | Child[];
