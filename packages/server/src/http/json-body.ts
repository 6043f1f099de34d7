import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ApiError, type FieldErrors, fieldError, validationFailed } from '../errors.ts'

/** Objects inside objects, at most. Deeper bodies are refused before anything walks them. */
const MAX_DEPTH = 24

/**
 * JSON is the only content type. Bytes that are not UTF-8, `__proto__` and `constructor.prototype` keys are refused;
 * an empty body counts as none. Strings with U+0000 or lone surrogates are named and refused.
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
      if (!isUtf8(bytes)) return done(malformedJson('The body is not UTF-8.'), undefined)
      // The default parser answers through `done` too; it returns nothing.
      void parse(request, bytes.toString('utf8'), (error, value) => {
        if (error) return done(malformedJson('The body is not JSON.', error), undefined)
        done(null, value)
      })
    },
  )
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) {
      if (!(request.routeOptions.config as { optionalBody?: boolean }).optionalBody)
        throw malformedJson('This operation needs a JSON body.')
      request.body = {}
    }
    assertStorableText(request.body)
    done()
  })
}

function malformedJson(message: string, cause?: unknown): ApiError {
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
      `Must not be deeper than ${MAX_DEPTH} levels.`,
    )
  for (const [key, item] of Object.entries(value)) {
    if (!isStorable(key))
      return fieldError(
        fieldPath.join('.'),
        'invalid_text',
        'Has a key with U+0000 or lone surrogates.',
      )
    const found = findUnstorableText(item, [...fieldPath, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** PostgreSQL's text takes no U+0000, and UTF-8 no lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
