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
    after: query.cursor === undefined ? undefined : decodeCursor(query.cursor),
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
  return buildNextPageHeader(baseUrl, url, { cursor: encodeCursor(last) })
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

function encodeCursor({ createdAt, id }: CursorPosition): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url')
}

function decodeCursor(cursor: string): CursorPosition {
  const match = /^(\d{1,15})\.([a-z]{3}_[0-9a-z]{26,32})$/.exec(
    Buffer.from(cursor, 'base64url').toString('utf8'),
  )
  if (match?.[1] === undefined || match[2] === undefined)
    throw invalidParameter(
      fieldError('cursor', 'invalid', 'Must be a cursor from the Link header of this list.'),
    )
  return { createdAt: Number(match[1]), id: match[2] }
}
