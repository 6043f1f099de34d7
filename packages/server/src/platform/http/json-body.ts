import { isUtf8 } from 'node:buffer'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { ApiError, fieldError, validationFailed } from '../errors.ts'
import { findMember, type LongMember, type StringRange, scanJson } from './scan-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation takes an empty body as `{}`. */
    readonly optionalBody?: boolean
    /** The member that makes bodies of this operation longer than those of others. */
    readonly longMember?: LongMember
    /** The member that becomes a {@link RawJson}, unless it is a string. */
    readonly rawMember?: string
  }
}

/** A JSON value as it was written: parsing and writing it again would round its numbers. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The maximum nesting of a body. Deeper bodies are rejected before any other code walks them. */
const MAX_DEPTH = 24

/**
 * Accepts JSON bodies only. Rejects bytes that are not UTF-8, more than 100,000 values, and `__proto__` and
 * `constructor.prototype` keys; an empty body is treated as absent. The error names a string with U+0000 or lone surrogates
 * by its path.
 *
 * @throws ApiError `malformed_json`, `too_many_values`, `body_too_large`; `validation_failed` when a request is validated
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        done(null, parseBody(body as Buffer, request.routeOptions.config))
      } catch (error) {
        done(error as Error, undefined)
      }
    },
  )
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) {
      if (!request.routeOptions.config.optionalBody)
        throw createMalformedJsonError('This operation requires a JSON body.')
      request.body = {}
    }
    done()
  })
}

function parseBody(
  bytes: Buffer,
  { longMember, rawMember }: Pick<FastifyContextConfig, 'longMember' | 'rawMember'>,
): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw createMalformedJsonError('The body is not UTF-8.')
  const content = scanJson(bytes, longMember)
  const text =
    content === undefined
      ? bytes.toString('utf8')
      : bytes.toString('utf8', 0, content.start) + bytes.toString('utf8', content.end)
  const body = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text)
  assertAcceptable(body, [], text.includes('\\u'))
  if (content !== undefined) restoreContent(body, longMember?.name ?? '', bytes, content)
  if (rawMember !== undefined) replaceByText(body, rawMember, bytes)
  return body
}

function replaceByText(body: unknown, name: string, bytes: Buffer): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return
  const members = body as Record<string, unknown>
  const found = typeof members[name] === 'string' ? undefined : findMember(bytes, name)
  if (found !== undefined) members[name] = new RawJson(found)
}

/** The long member was parsed without its content. The last of two equal names counts, as in JSON.parse. */
function restoreContent(body: unknown, name: string, bytes: Buffer, content: StringRange): void {
  const members = body as Record<string, unknown>
  if (members[name] === '') members[name] = bytes.toString('latin1', content.start, content.end)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw createMalformedJsonError('The body is not JSON.', error)
  }
}

function createMalformedJsonError(message: string, cause?: unknown): ApiError {
  return new ApiError('malformed_json', message, { cause })
}

/** `path` is changed during the walk. `hasEscapes`: without one, UTF-8 text is storable. */
function assertAcceptable(value: unknown, path: (string | number)[], hasEscapes: boolean): void {
  if (typeof value === 'string' && hasEscapes && !isStorable(value))
    throw createTextError(path, 'Must not contain U+0000 or lone surrogates.')
  if (value === null || typeof value !== 'object') return
  if (path.length >= MAX_DEPTH)
    throw validationFailed(
      fieldError(
        String(path[0] ?? ''),
        'too_deep',
        `Must not be nested more than ${MAX_DEPTH} levels deep.`,
      ),
    )
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      assertAcceptableMember(value[index], path, index, hasEscapes)
    return
  }
  for (const key of Object.keys(value)) {
    if (hasEscapes && !isStorable(key))
      throw createTextError(path, 'Must not have keys with U+0000 or lone surrogates.')
    assertHarmless(value, key)
    assertAcceptableMember((value as Record<string, unknown>)[key], path, key, hasEscapes)
  }
}

function assertAcceptableMember(
  value: unknown,
  path: (string | number)[],
  key: string | number,
  hasEscapes: boolean,
): void {
  if (typeof value !== 'object' && !hasEscapes) return
  path.push(key)
  assertAcceptable(value, path, hasEscapes)
  path.pop()
}

function createTextError(path: readonly (string | number)[], message: string): ApiError {
  return validationFailed(fieldError(path.join('.'), 'invalid_text', message))
}

/** Code that merges such members into an object would change the prototype of all. */
function assertHarmless(object: object, key: string): void {
  const isPrototype =
    key === '__proto__' ||
    (key === 'constructor' &&
      Object.hasOwn(Object((object as { constructor: unknown }).constructor), 'prototype'))
  if (isPrototype)
    throw createMalformedJsonError(
      'The body must have neither a member __proto__ nor constructor.prototype.',
    )
}

/** PostgreSQL cannot store U+0000 in text, and UTF-8 cannot encode a lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
