/** The possible contents of an element; lists are flattened, empty children are skipped. */
export type Child = Node | string | number | null | undefined | false | Child[];
