import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type HttpResponse, parseTokenResponse } from './parse-oauth-response.ts'
import type { TokenResult } from './token-result.ts'

const context = { now: 1_700_000_000_000, secrets: {} }
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const NAMES = [
  ...[
    'access_token',
    'refresh_token',
    'token_type',
    'expires_in',
    'expires_at',
    'expires',
    'scope',
  ],
  ...['error', 'error_description', 'ok', 'success', 'data', 'authed_user', 'token', 'message'],
  ...['__proto__', 'constructor', 'toString', 'team', 'status', 'code', 'id_token'],
]

describe('parseTokenResponse', () => {
  it(`never throws and never accepts an unusable token (seed ${seed})`, () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join()
    fc.assert(
      fc.property(generateResponse(), (response) =>
        assertInvariants(parseTokenResponse(response, context), response.status),
      ),
      { seed, numRuns: 1_500 },
    )
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before)
  })

  it('removes all secrets from the description and truncates it to one line', () => {
    const secrets = [{ tenant: 'acme-tenant' }, 's3cret/+=value', [['refresh_token', 'rt-abcdef']]]
    const providerMessage = `token rt-abcdef of\r\n s3cret/+=value (${encodeURIComponent('s3cret/+=value')}, ${btoa('s3cret/+=value')}) acme-tenant \u202e${'long '.repeat(90)}`
    for (const body of [
      { error: 'invalid_grant', error_description: providerMessage },
      { message: providerMessage },
    ]) {
      const result = parseTokenResponse(createJsonResponse(400, body), { ...context, secrets })
      assert.equal(result.kind, 'refused')
      if (result.kind !== 'refused') return
      assert.ok(result.description.startsWith('token [removed] of [removed] ('), result.description)
      assert.ok(result.description.length <= 200)
      assert.doesNotMatch(result.description, /rt-abc|s3cret|acme|[\r\n\u202e]/)
    }
  })

  it('ignores an error code that contains a secret', () => {
    const secrets = ['deadbeefdeadbeef']
    const result = parseTokenResponse(createJsonResponse(400, { error: 'deadbeefdeadbeef' }), {
      ...context,
      secrets,
    })
    assert.deepEqual(result, { kind: 'refused', error: 'unspecified', description: '' })
  })

  it('detects invalid_grant even if the config contains the same words', () => {
    const secrets = { word: 'grant', other: 'invalid', more: 'invalid_grant' }
    const result = parseTokenResponse(createJsonResponse(400, { error: 'invalid_grant' }), {
      ...context,
      secrets,
    })
    assert.deepEqual(result, { kind: 'refused', error: 'invalid_grant', description: '' })
  })

  it('returns at most 20 extra fields', () => {
    const manyFields = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`fact_${i}`, i]))
    const result = parseTokenResponse(
      createJsonResponse(200, { access_token: 'a', ...manyFields }),
      context,
    )
    assert.equal(result.kind === 'tokens' && Object.keys(result.tokens.extra).length, 20)
  })
})

function createJsonResponse(status: number, body: object): HttpResponse {
  return { status, rawHeaders: [], body: Buffer.from(JSON.stringify(body)) }
}

function assertInvariants(result: TokenResult, status: number): void {
  if (result.kind === 'refused') {
    assert.match(result.error, /^[a-z][a-z0-9_.]{1,63}$/)
    assert.ok(result.description.length <= 200 && result.description.isWellFormed())
    assert.doesNotMatch(result.description, /\p{Cc}/u)
  }
  if (status >= 500 || status === 429) assert.equal(result.kind, 'unavailable')
  if (result.kind !== 'tokens') return
  assert.ok(status >= 200 && status < 300)
  const { accessToken, refreshToken, expiresAt, scope, extra } = result.tokens
  assert.match(accessToken, /^[\x21-\x7e]{1,16384}$/)
  if (refreshToken !== undefined) assert.match(refreshToken, /^[\x21-\x7e]{1,16384}$/)
  if (expiresAt !== undefined) assert.ok(Number.isSafeInteger(expiresAt) && expiresAt > context.now)
  if (scope !== undefined) assert.match(scope, /^[\x20-\x7e]*$/)
  assert.ok(Object.keys(extra).length <= 20)
  for (const value of Object.values(extra)) assert.ok(typeof value !== 'object')
}

function generateResponse(): fc.Arbitrary<HttpResponse> {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant('at-1'),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NAMES) }, fc.string())
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(name, tie('value')), { maxLength: 6 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))
  const object = fc
    .array(fc.tuple(name, value), { maxLength: 10 })
    .map((entries) => Object.fromEntries(entries))
  const withToken = object.map((fields) => ({
    ...fields,
    error: null,
    ok: true,
    success: true,
    access_token: 'at-1',
  }))
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.oneof(object, withToken, value).map((each) => Buffer.from(JSON.stringify(each) ?? '')),
    fc
      .array(fc.tuple(name, fc.string()))
      .map((pairs) => Buffer.from(new URLSearchParams(pairs).toString())),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  )
  const status = fc.oneof(fc.constant(200), fc.constant(400), fc.integer({ min: 100, max: 599 }))
  const headers = fc.array(
    fc.oneof(
      fc.constantFrom(
        'content-type',
        'retry-after',
        'application/x-www-form-urlencoded',
        'application/json',
      ),
      fc.string(),
    ),
  )
  return fc.record({ status, rawHeaders: headers, body })
}
