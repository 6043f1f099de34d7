/** A page, and the query of the next one. */
export interface Page<T> {
    readonly items: readonly T[];
    readonly nextSearch: string | undefined;
}
export interface ListSource<T> {
    /** The query string of the first page; `limit` is used unless the caller of the list has set one. */
    getSearch(limit: number): string;
    readPage(search: string): Promise<Page<T>>;
}
/** A page of a list, and the cursor of the next one. */
export interface ListPage<T> {
    readonly items: readonly T[];
    /** Of events, which always have a next page: its `after`. */
    readonly nextCursor: string | undefined;
}
/** A list that is read page by page: `for await (const account of linchpin.accounts.list()) …` */
export declare class List<T> implements AsyncIterable<T> {
    #private;
    constructor(source: ListSource<T>);
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    /** The list in pages, of 100 items unless `limit` of the query has another number. */
    pages(): AsyncGenerator<readonly T[], void, undefined>;
    /**
     * One page, for a list that people page through: begins at `cursor` of the query, or at `before` for the newest events. `nextCursor` is undefined on the last page.
     *
     * @param limit the number of items, unless `limit` of the query has another one
     */
    page(limit?: number): Promise<ListPage<T>>;
    /** The first `count` items, or fewer if there are no more. `Infinity` is allowed. */
    first(count: number): Promise<T[]>;
}
