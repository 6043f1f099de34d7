import { Readable } from 'node:stream'
import { type CursorPosition, type Pagination, paginate } from './pagination.ts'
import type { TakeTurn } from './turns.ts'

/** A list as JSON, and the position of its last row if another page follows. */
export interface JsonList {
  /** A stream if it is long. */
  readonly json: string | Readable
  readonly next: CursorPosition | undefined
}

/** Where a list comes from. */
export interface ListSource<Row> {
  /** Up to `limit + 1` rows after a position. */
  read(page: Pagination & { readonly limit: number }): Promise<Row[]>
  positionOf(row: Row): CursorPosition
  /** Each row as JSON. */
  serialize(rows: readonly Row[]): readonly string[] | Promise<readonly string[]>
}

interface ListOptions {
  readonly takeTurn: TakeTurn
  /** Called between parts. An error ends the list. */
  readonly reauthenticate?: (() => Promise<void>) | undefined
  /** Rows that are serialized at once. Default: 100. */
  readonly partSize?: number
  /** What precedes and follows the items. */
  readonly frame?: readonly [string, string]
}

/**
 * A page of a list, or all of it without a limit. It is read and serialized in parts, of which one fits into a turn of the event
 * loop: however long the list is, other requests run in between. An error after the first parts destroys the stream and with it
 * the socket, so that clients never mistake a truncated response for a complete one.
 */
export async function listInParts<Row>(
  source: ListSource<Row>,
  page: Pagination,
  options: ListOptions,
): Promise<JsonList> {
  const { limit } = page
  if (limit === undefined)
    return {
      json: await joinParts(source, readParts(source, page, options), options),
      next: undefined,
    }
  const rows: Row[] = []
  for await (const part of readParts(source, { ...page, limit: limit + 1 }, options))
    rows.push(...part)
  const { items, last } = paginate(rows, page)
  return {
    json: await joinParts(source, split(items, options), options),
    next: last === undefined ? undefined : source.positionOf(last),
  }
}

const PART_SIZE = 100

/** The rows of a page. No part is empty. */
async function* readParts<Row>(
  source: ListSource<Row>,
  { limit = Number.POSITIVE_INFINITY, after }: Pagination,
  { takeTurn, partSize = PART_SIZE }: ListOptions,
): AsyncGenerator<Row[]> {
  let position = after
  let rest = limit
  while (rest > 0) {
    await takeTurn()
    const size = Math.min(rest, partSize)
    const rows = await source.read({ limit: size, after: position })
    const { items, last } = paginate(rows, { limit: size })
    if (items.length > 0) yield items
    if (last === undefined) return
    position = source.positionOf(last)
    rest -= size
  }
}

async function* split<Row>(
  rows: readonly Row[],
  { takeTurn, partSize = PART_SIZE }: ListOptions,
): AsyncGenerator<Row[]> {
  for (let start = 0; start < rows.length; start += partSize) {
    await takeTurn()
    yield rows.slice(start, start + partSize)
  }
}

async function joinParts<Row>(
  { serialize }: ListSource<Row>,
  parts: AsyncGenerator<Row[]>,
  { frame: [open, close] = ['[', ']'], reauthenticate }: ListOptions,
): Promise<string | Readable> {
  const texts = serializeParts(parts)
  const first = await texts.next()
  const second = first.done ? first : await texts.next()
  if (second.done) return `${open}${first.value ?? ''}${close}`
  return Readable.from(continueTexts(`${open}${first.value},${second.value}`), {
    objectMode: false,
  })

  async function* serializeParts(rows: AsyncGenerator<Row[]>): AsyncGenerator<string, undefined> {
    for await (const part of rows) yield (await serialize(part)).join()
    return undefined
  }
  async function* continueTexts(start: string): AsyncGenerator<string> {
    yield start
    for await (const text of texts) {
      await reauthenticate?.()
      yield `,${text}`
    }
    yield close
  }
}
