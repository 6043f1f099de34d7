import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ApiError, type FieldErrors, fieldError, validationFailed } from '../errors.ts'

/** The maximum nesting of a body. Deeper bodies are rejected before any other code walks them. */
const MAX_DEPTH = 24

/**
 * Accepts JSON bodies only. Rejects bytes that are not UTF-8, and `__proto__` and `constructor.prototype` keys; an empty
 * body is treated as absent. The error names a string with U+0000 or lone surrogates by its path.
 *
 * @throws ApiError `malformed_json`, `validation_failed` when a request is validated
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      const bytes = body as Buffer
      if (bytes.length === 0) return done(null, undefined)
      if (!isUtf8(bytes)) return done(createMalformedJsonError('The body is not UTF-8.'), undefined)
      // The default parser also reports through its callback and returns nothing.
      void parse(request, bytes.toString('utf8'), (error, value) => {
        if (error) return done(createMalformedJsonError('The body is not JSON.', error), undefined)
        done(null, value)
      })
    },
  )
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) {
      if (!(request.routeOptions.config as { optionalBody?: boolean }).optionalBody)
        throw createMalformedJsonError('This operation requires a JSON body.')
      request.body = {}
    }
    assertStorableText(request.body)
    done()
  })
}

function createMalformedJsonError(message: string, cause?: unknown): ApiError {
  return new ApiError('malformed_json', message, { cause })
}

function assertStorableText(body: unknown): void {
  const errors = findUnstorableText(body, [])
  if (errors !== undefined) throw validationFailed(errors)
}

function findUnstorableText(value: unknown, fieldPath: readonly string[]): FieldErrors | undefined {
  if (typeof value === 'string')
    return isStorable(value)
      ? undefined
      : fieldError(
          fieldPath.join('.'),
          'invalid_text',
          'Must not contain U+0000 or lone surrogates.',
        )
  if (value === null || typeof value !== 'object') return undefined
  if (fieldPath.length >= MAX_DEPTH)
    return fieldError(
      fieldPath[0] ?? '',
      'too_deep',
      `Must not be nested more than ${MAX_DEPTH} levels deep.`,
    )
  for (const [key, item] of Object.entries(value)) {
    if (!isStorable(key))
      return fieldError(
        fieldPath.join('.'),
        'invalid_text',
        'Must not have keys with U+0000 or lone surrogates.',
      )
    const found = findUnstorableText(item, [...fieldPath, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** PostgreSQL cannot store U+0000 in text, and UTF-8 cannot encode a lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
