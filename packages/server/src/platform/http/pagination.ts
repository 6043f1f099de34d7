import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { fieldError, invalidParameter } from '../errors.ts'

/** The query parameters of a paginated list: keyset pagination, with the next page in the `Link` header (RFC 8288). */
export const PaginationQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Maximum number of items per page. Default: all items.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The cursor of the page, from the `Link` header of the previous one.',
    }),
  ),
}

/** A position in a list that is ordered by creation time and id. */
export interface CursorPosition<I extends string = string> {
  readonly createdAt: number
  readonly id: I
}

/** One page: at most `limit` rows after the position `after`. */
export interface Pagination {
  readonly limit: number | undefined
  readonly after: CursorPosition | undefined
}

/** A single page of all rows. */
export const ALL_ROWS: Pagination = { limit: undefined, after: undefined }

type PaginationInput = Static<ReturnType<typeof createPaginationSchema>>

function createPaginationSchema() {
  return Type.Object(PaginationQuery)
}

/** @throws ApiError `invalid_parameter` when the cursor is malformed */
export function parsePagination(query: PaginationInput): Pagination {
  return {
    limit: query.limit,
    after: query.cursor === undefined ? undefined : parsePosition(query.cursor),
  }
}

/**
 * Cuts rows to a page. The query must have read one row more than the limit.
 *
 * @returns the rows of the page, and its last row if another page follows
 */
export function paginate<Row>(
  rows: readonly Row[],
  { limit }: Pick<Pagination, 'limit'>,
): { items: Row[]; last: Row | undefined } {
  const items = rows.slice(0, limit)
  return { items, last: items.length < rows.length ? items.at(-1) : undefined }
}

/** The `Link` header of a page that is not the last one. Other query parameters are preserved. */
export function buildNextLinkHeader(baseUrl: string, url: string, last: CursorPosition): string {
  return buildNextPageHeader(baseUrl, url, {
    cursor: encodeCursor(last.createdAt, last.id),
  })
}

/** The `Link` header of a next page that is requested with these query parameters. The others are preserved. */
export function buildNextPageHeader(
  baseUrl: string,
  url: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const [path = '', query = ''] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value)
  return `<${baseUrl}${path}?${searchParams}>; rel="next"`
}

/** A cursor with these values, none of which contains a dot. */
export function encodeCursor(...values: readonly (string | number)[]): string {
  return Buffer.from(values.join('.')).toString('base64url')
}

/** The groups of the pattern of a cursor. @throws ApiError `invalid_parameter` */
export function decodeCursor(cursor: string, pattern: RegExp): string[] {
  const match = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (match === null)
    throw invalidParameter(
      fieldError('cursor', 'invalid', 'Must be a cursor from the Link header of this list.'),
    )
  return match.slice(1)
}

const POSITION = /^(\d{1,15})\.([a-z]{3}_[0-9a-z]{26,32})$/

function parsePosition(cursor: string): CursorPosition {
  const [createdAt, id = ''] = decodeCursor(cursor, POSITION)
  return { createdAt: Number(createdAt), id }
}

/** The query parameters `from` and `to` in epoch milliseconds. @throws ApiError `invalid_parameter` */
export function parseTimes({ from, to }: { from?: string; to?: string }): {
  from: number | undefined
  to: number | undefined
} {
  return { from: parseTime('from', from), to: parseTime('to', to) }
}

function parseTime(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const time = Date.parse(value)
  if (Number.isNaN(time))
    throw invalidParameter(
      fieldError(name, 'invalid', 'Must be a time such as 2026-11-22T10:00:00Z.'),
    )
  return time
}

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

/** Waits for a turn of the event loop; undefined if this one is free. */
export type TakeTurn = () => Promise<void> | undefined

/**
 * Shares the turns of the event loop between long responses: each makes a part of its text, and then it is the turn of the next.
 * Requests that arrive together would otherwise add their parts up in one turn.
 */
export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = []
  let isTaken = false
  const passOn = () => {
    const next = waiting.shift()
    isTaken = next !== undefined
    if (next === undefined) return
    // Callbacks that are scheduled now run in the next turn.
    setImmediate(passOn)
    next()
  }
  return () => {
    if (isTaken) return new Promise((resolve) => waiting.push(resolve))
    isTaken = true
    setImmediate(passOn)
    return undefined
  }
}
