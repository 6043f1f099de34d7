import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
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

/** A page with a limit. */
export interface BoundedPage extends Pagination {
  readonly limit: number
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

/** The body of the response to a request for a list, whose `Link` header names the next page if there is one. */
export function toListBody<Json>(
  reply: FastifyReply,
  baseUrl: string,
  { json, next }: { readonly json: Json; readonly next: CursorPosition | undefined },
): Json {
  if (next !== undefined)
    reply.header('link', buildNextLinkHeader(baseUrl, reply.request.originalUrl, next))
  return json
}

/** Where a list comes from. */
export interface ListSource<Row> {
  /** Up to `limit + 1` rows after a position. */
  read(page: BoundedPage): Promise<Row[]>
  positionOf(row: Row): CursorPosition
  /** Each row as JSON. */
  serialize(rows: readonly Row[]): readonly string[] | Promise<readonly string[]>
}

interface ListOptions {
  readonly takeTurn: TakeTurn
  /** Called between parts. An error ends the list. */
  readonly reauthenticate?: (() => Promise<void>) | undefined
  /** Rows that are serialized at once, at most. Default: 100. */
  readonly partSize?: number
  /** What precedes and follows the items. */
  readonly frame?: readonly [string, string]
}

/**
 * A page of a list, or all of it without a limit. It is read and serialized in parts, of which one fits into a turn of the event
 * loop: however long the list is, other requests run in between. A page ends before its limit when it is longer than 8 MB. Without a
 * limit, a long list is streamed, and an error after the first parts destroys the stream and with it the socket, so that clients
 * never mistake a truncated response for a complete one.
 */
export async function listInParts<Row>(
  source: ListSource<Row>,
  page: Pagination,
  options: ListOptions,
): Promise<JsonList> {
  const maxLength = page.limit === undefined ? PART_LENGTH : MAX_PAGE_LENGTH
  const parts = serializeParts(source, page, options)
  const texts: string[] = []
  let length = 0
  let next: CursorPosition | undefined
  do {
    const { value: part } = await parts.next()
    if (part === undefined) break
    if (texts.length > 0) await options.reauthenticate?.()
    texts.push(part.text)
    length += part.text.length
    next = part.next
  } while (next !== undefined && length <= maxLength)
  const [open, close] = options.frame ?? ['[', ']']
  if (page.limit === undefined && next !== undefined)
    return { json: streamTexts(continueTexts(), [open, close]), next: undefined }
  const json =
    length > PART_LENGTH ? streamTexts(texts, [open, close]) : `${open}${texts.join()}${close}`
  return { json, next: page.limit === undefined ? undefined : next }

  async function* continueTexts(): AsyncGenerator<string> {
    yield* texts
    for await (const { text } of parts) {
      await options.reauthenticate?.()
      yield text
    }
  }
}

const PART_SIZE = 100
/** The length of a part that takes a few milliseconds of the event loop, in characters. */
const PART_LENGTH = 250_000
const MAX_PAGE_LENGTH = 8_000_000

/** The rows of a page as JSON, and after which position the next ones follow, if any do. No part is empty. */
async function* serializeParts<Row>(
  { read, positionOf, serialize }: ListSource<Row>,
  { limit = Number.POSITIVE_INFINITY, after }: Pagination,
  { takeTurn, partSize = PART_SIZE }: ListOptions,
): AsyncGenerator<{ readonly text: string; readonly next: CursorPosition | undefined }, undefined> {
  let position = after
  let rest = limit
  // How long rows are is known only after some of them.
  let size = Math.ceil(partSize / 10)
  while (rest > 0) {
    await takeTurn()
    const part = { limit: Math.min(rest, size), after: position }
    const { items, last } = paginate(await read(part), part)
    if (items.length === 0) return
    const text = (await serialize(items)).join()
    position = last === undefined ? undefined : positionOf(last)
    yield { text, next: position }
    if (last === undefined) return
    rest -= items.length
    const fitting = Math.floor((items.length * PART_LENGTH) / text.length)
    size = Math.max(1, Math.min(partSize, fitting))
  }
}

function streamTexts(
  texts: Iterable<string> | AsyncIterable<string>,
  [open, close]: readonly [string, string],
): Readable {
  return Readable.from(joinTexts(), { objectMode: false })

  async function* joinTexts(): AsyncGenerator<string> {
    let separator = open
    for await (const text of texts) {
      yield separator + text
      separator = ','
    }
    yield close
  }
}

/** A page of a search that waits for no turn of the event loop. */
export const SHORT_PAGE = 100

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
