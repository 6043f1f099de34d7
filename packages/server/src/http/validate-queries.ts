import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type FieldErrors, fieldError, invalidParameter } from '../errors.ts'

/** The only query parameter that may be repeated (interface: a category of the integration). */
const REPEATABLE = 'category'

/**
 * Rejects repeated parameters and text that databases cannot store, before the schema validates the query. HTML pages
 * validate their own queries (`rawQuery`).
 *
 * @throws ApiError `invalid_parameter` when a request is validated
 */
export function validateQueries(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const { rawQuery } = request.routeOptions.config as { rawQuery?: boolean }
    if (!rawQuery) assertValidQuery(request)
    done()
  })
}

function assertValidQuery({ originalUrl, query }: FastifyRequest): void {
  const undecodable = findUndecodableName(originalUrl)
  if (undecodable !== undefined) throw invalidParameter(invalidText(undecodable))
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const error = findError(name, value)
    if (error !== undefined) throw invalidParameter(error)
  }
}

function findError(name: string, value: unknown): FieldErrors | undefined {
  if (Array.isArray(value) && name !== REPEATABLE)
    return fieldError(name, 'repeated', 'Must not be repeated.')
  if (name === 'limit' && !/^\d{1,6}$/.test(String(value)))
    return fieldError(name, 'wrong_type', 'Must be a whole number.')
  const isInvalid = [name, ...[value].flat().map(String)].some(
    (text) => text.includes('\0') || !text.isWellFormed() || text.includes('\ufffd'),
  )
  return isInvalid ? invalidText(name) : undefined
}

/** The parser treats invalid percent-encoding as literal text, so a filter would not mean what the client intended. */
function findUndecodableName(url: string): string | undefined {
  const query = url.split('?', 2)[1] ?? ''
  if (!query.includes('%')) return undefined
  return query
    .split('&')
    .find((pair) => !isDecodable(pair))
    ?.split('=', 1)[0]
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function invalidText(name: string): FieldErrors {
  return fieldError(name, 'invalid_text', 'Must be well-formed text.')
}
