import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Expectation } from '../spec/check-rules.ts'
import { checkResponse } from './create-context.ts'

const context = { name: 'Acme', credentialField: 'api_key', hostField: undefined }
const check = (status: number, body: unknown = {}, rules: Expectation = {}, options = {}) =>
  checkResponse(new Response(JSON.stringify(body), { status }), rules, { ...context, ...options })

describe('a check result', () => {
  it('depends on the status if no rule matches', async () => {
    const codes = new Map<number, string | undefined>([
      [200, undefined],
      [204, undefined],
      [400, 'unexpected_answer'],
      [401, 'invalid_credentials'],
      [403, 'insufficient_scope'],
      [404, 'unexpected_answer'],
      [429, 'rate_limited'],
      [500, 'provider_unreachable'],
      [503, 'provider_unreachable'],
    ])
    for (const [status, code] of codes) {
      const body = status === 204 ? null : '{}'
      const { status: isAccepted, code: actualCode } = await checkResponse(
        new Response(body, { status }),
        {},
        context,
      )
      assert.deepEqual([isAccepted, actualCode], [code === undefined, code], `${status}`)
    }
  })

  it('points to the field to change: the credential, or the address', async () => {
    assert.equal((await check(401)).field, 'api_key')
    assert.equal((await check(404, {}, {}, { hostField: 'subdomain' })).field, 'subdomain')
    assert.equal((await check(429)).field, undefined)
  })

  it('uses the first rule whose conditions all match', async () => {
    const errors = [
      { status: 400, match: { 'error.code': 'OTHER' }, code: 'account_inactive' },
      { status: [400, 422], match: { 'error.code': ['BAD', 'OLD'] }, hint: 'Make a new key.' },
      { status: 400, code: 'wrong_host' },
    ] as const
    const oldCodeResult = await check(400, { error: { code: 'OLD' } }, { errors })
    assert.deepEqual(oldCodeResult, {
      status: false,
      error: 'Acme rejected these credentials.',
      code: 'invalid_credentials',
      field: 'api_key',
      hint: 'Make a new key.',
    })
    assert.equal((await check(400, { error: {} }, { errors })).code, 'wrong_host')
    assert.equal((await check(400, 'no object', { errors })).code, 'wrong_host')
  })

  it('can depend on headers', async () => {
    const errors = [
      { status: 403, headers: { 'X-RateLimit-Remaining': '0' }, code: 'rate_limited' },
      { headers: { 'X-Error': { startsWith: 'Invalid' }, 'X-Kind': ['a', 'b'] }, hint: 'Both.' },
    ] as const
    const codeFor = (status: number, headers: Record<string, string>) =>
      checkResponse(new Response('{}', { status, headers }), { errors }, context)
    assert.equal((await codeFor(403, { 'x-ratelimit-remaining': '0' })).code, 'rate_limited')
    assert.equal((await codeFor(403, { 'x-ratelimit-remaining': '10' })).code, 'insufficient_scope')
    assert.equal((await codeFor(200, { 'x-ratelimit-remaining': '0' })).status, true)
    assert.equal((await codeFor(401, { 'x-error': 'Invalid key', 'x-kind': 'b' })).hint, 'Both.')
    assert.equal((await codeFor(401, { 'x-error': 'Invalid key' })).hint, undefined)
    assert.equal((await codeFor(401, { 'x-error': 'An Invalid', 'x-kind': 'b' })).hint, undefined)
  })

  it('can depend on the prefix of a text, and on names that contain a dot', async () => {
    const errors = [
      { match: { 'errors.base\\.email.0': { startsWith: 'Unknown' } }, code: 'wrong_host' },
    ] as const
    const codeFor = async (body: unknown) =>
      (await check(400, { errors: { 'base.email': [body] } }, { errors })).code
    assert.equal(await codeFor('Unknown person ann@acme.test'), 'wrong_host')
    assert.equal(await codeFor('An Unknown person'), 'unexpected_answer')
    assert.equal(await codeFor(7), 'unexpected_answer')
  })

  it('has the code of the status if a rule has none', async () => {
    const errors = [{ status: 403, hint: 'Ask your admin.', field: 'site' }]
    const { code, field, hint } = await check(403, {}, { errors })
    assert.deepEqual([code, field, hint], ['insufficient_scope', 'site', 'Ask your admin.'])
  })

  it('can depend on the body of a 200', async () => {
    const ok = { path: 'ok', equals: true }
    assert.equal((await check(200, { ok: true }, { ok })).status, true)
    assert.equal((await check(200, { ok: false }, { ok })).code, 'invalid_credentials')
    assert.equal((await check(200, { data: { id: 0 } }, { ok: 'data.id' })).status, true)
    assert.equal((await check(200, { data: null }, { ok: 'data.id' })).status, false)
  })

  it('accepts only the expected statuses', async () => {
    assert.equal((await check(404, {}, { expect: [200, 404] })).status, true)
    assert.equal((await check(201, {}, { expect: 200 })).code, 'unexpected_answer')
  })

  it('does not ask the user to act when the provider limits requests', async () => {
    assert.deepEqual(await check(429), {
      status: false,
      error: 'Acme is limiting requests. Try again in a moment.',
      code: 'rate_limited',
      retryable: true,
    })
  })
  it('can be computed from a response that code has read, and leaves an unread one unread', async () => {
    const response = new Response('{"id":7}', { status: 403 })
    assert.equal((await checkResponse(response, {}, context)).code, 'insufficient_scope')
    assert.deepEqual(await response.json(), { id: 7 })
    assert.equal((await checkResponse(response, {}, context)).code, 'insufficient_scope')
  })
})
