import Type, { type Static } from 'typebox'
import { fieldError, invalidParameter } from '../errors.ts'

/** The query names that page a list: keyset paging, next page in the `Link` header (RFC 8288). */
export const PaginationQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'Rows on a page. Absent: all rows.' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'Where the page starts: from the Link header.' }),
  ),
}

/** A place in a list that is ordered by creation time and id. */
export interface CursorPosition {
  readonly createdAt: number
  readonly id: string
}

/** One page: rows after `after`, at most `limit`. */
export interface Pagination {
  readonly limit: number | undefined
  readonly after: CursorPosition | undefined
}

/** Everything there is. */
export const ALL_ROWS: Pagination = { limit: undefined, after: undefined }

type PaginationInput = Static<ReturnType<typeof paginationObject>>

function paginationObject() {
  return Type.Object(PaginationQuery)
}

/** @throws ApiError `invalid_parameter` when the cursor is not one of ours */
export function parsePagination(query: PaginationInput): Pagination {
  return {
    limit: query.limit,
    after: query.cursor === undefined ? undefined : decodeCursor(query.cursor),
  }
}

/**
 * Cuts rows that were read with one more than the limit to their page.
 *
 * @returns the rows to show, and the last of them when there are more
 */
export function paginate<Row>(
  rows: readonly Row[],
  { limit }: Pick<Pagination, 'limit'>,
): { items: Row[]; last: Row | undefined } {
  const items = rows.slice(0, limit)
  return { items, last: items.length < rows.length ? items.at(-1) : undefined }
}

/** The `Link` header of a page that is not the last, with the caller's other query names kept. */
export function nextLinkHeader(baseUrl: string, url: string, last: CursorPosition): string {
  const [path = '', query = ''] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  searchParams.set('cursor', encodeCursor(last))
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
    throw invalidParameter(fieldError('cursor', 'invalid', 'Is not a cursor of this list.'))
  return { createdAt: Number(match[1]), id: match[2] }
}
