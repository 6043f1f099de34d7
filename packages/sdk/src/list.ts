/** A page, and the query of the next one. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextSearch: string | undefined
}

export interface ListSource<T> {
  /** The query string of the first page; `limit` is used unless the caller of the list has set one. */
  getSearch(limit: number): string
  readPage(search: string): Promise<Page<T>>
}

/** A page of a list, and the cursor of the next one. */
export interface ListPage<T> {
  readonly items: readonly T[]
  /** Of events, which always have a next page: its `after`. */
  readonly nextCursor: string | undefined
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** A list that is read page by page: `for await (const account of linchpin.accounts.list()) …` */
export class List<T> implements AsyncIterable<T> {
  readonly #source: ListSource<T>

  constructor(source: ListSource<T>) {
    this.#source = source
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  /** The list in pages, of 100 items unless `limit` of the query has another number. */
  async *pages(): AsyncGenerator<readonly T[], void, undefined> {
    yield* this.#readPages(DEFAULT_LIMIT)
  }

  /**
   * One page, for a list that people page through: begins at `cursor` of the query, or at `before` for the newest events. `nextCursor` is undefined on the last page.
   *
   * @param limit the number of items, unless `limit` of the query has another one
   */
  async page(limit: number = DEFAULT_LIMIT): Promise<ListPage<T>> {
    const { items, nextSearch } = await this.#source.readPage(this.#source.getSearch(limit))
    const next = new URLSearchParams(nextSearch)
    const nextCursor = next.get('cursor') ?? next.get('before') ?? next.get('after') ?? undefined
    return { items, nextCursor }
  }

  /** The first `count` items, or fewer if there are no more. `Infinity` is allowed. */
  async first(count: number): Promise<T[]> {
    const found: T[] = []
    if (count < 1) return found
    for await (const page of this.#readPages(Math.min(count, MAX_LIMIT))) {
      found.push(...page)
      if (found.length >= count) return found.slice(0, count)
    }
    return found
  }

  async *#readPages(limit: number): AsyncGenerator<readonly T[], void, undefined> {
    let search: string | undefined = this.#source.getSearch(limit)
    while (search !== undefined) {
      const { items, nextSearch }: Page<T> = await this.#source.readPage(search)
      if (items.length > 0) yield items
      // The events always have a next page, to continue later.
      search = items.length === 0 && nextSearch === search ? undefined : nextSearch
    }
  }
}
