import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'

const LIMIT = 64 * 1024

describe('Request bodies', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const send = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    t.call('POST', '/v1/workspace', { payload, headers })
  const sendAs = (type: string, payload = '{}') => send(payload, { 'content-type': type })

  describe('400 malformed_json', () => {
    const broken: [string, string | Buffer][] = [
      ['half an object', '{"slug":'],
      ['a trailing comma', '{"slug":"a",}'],
      ['single quotes', "{'slug':'a'}"],
      ['a comment', '{/* */}'],
      ['two documents', '{}{}'],
      ['whitespace only', ' \n'],
      ['NaN', '{"slug":NaN}'],
      ['a bare control character', '{"slug":"a\u0001"}'],
      ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ['an overlong encoding', Buffer.from('7b22c0af223a317d', 'hex')],
      ['a surrogate in UTF-8', Buffer.from('7b22eda080223a317d', 'hex')],
      ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
      ['a __proto__ key', '{"__proto__":{"isAdmin":true}}'],
      ['an escaped __proto__ key', '{"\\u005f\\u005fproto__":{"isAdmin":true}}'],
      ['a deep __proto__ key', '{"theme":{"x":[{"__proto__":{}}]}}'],
      ['constructor.prototype', '{"constructor":{"prototype":{"isAdmin":true}}}'],
      ['depth without end', '['.repeat(30_000)],
    ]
    for (const [description, payload] of broken)
      it(`rejects ${description}`, async () => {
        const before = Object.getOwnPropertyNames(Object.prototype)
        const body = expectError(await send(payload), 'malformed_json')
        assert.deepEqual(body.errors, {})
        assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before)
      })

    it('rejects an empty body where one is required, with and without a content type', async () => {
      expectError(await t.call('POST', '/v1/user', { payload: '' }), 'malformed_json')
      expectError(await t.call('POST', '/v1/user'), 'malformed_json')
      expectError(
        await t.call('POST', '/v1/user', { headers: { 'content-length': '0' } }),
        'malformed_json',
      )
    })

    it('never repeats the body in the error', async () => {
      const response = await send('{"slug": secret_canary}')
      expectError(response, 'malformed_json')
      assert.ok(!response.text.includes('canary'))
    })
  })

  describe('400 validation_failed', () => {
    for (const [description, payload] of [
      ['null', 'null'],
      ['a list', '[]'],
      ['a text', '"x"'],
      ['a number', '1'],
      ['true', 'true'],
    ])
      it(`rejects ${description} instead of an object`, async () => {
        const { errors } = expectError(await send(payload ?? ''), 'validation_failed')
        assert.deepEqual(errors, { '': [{ code: 'wrong_type', message: 'Must be object.' }] })
      })

    const texts: [string, string, string][] = [
      ['U+0000', '{"slug":"a\\u0000b"}', 'slug'],
      ['a lone high surrogate', '{"slug":"\\ud800"}', 'slug'],
      ['a lone low surrogate', '{"slug":"\\udc00x"}', 'slug'],
      ['a key with U+0000', '{"a\\u0000":1}', ''],
      ['a key that is a lone surrogate', '{"theme":{"\\ud800":1}}', 'theme'],
      ['U+0000 in a list', '{"x":["\\u0000"]}', 'x.0'],
    ]
    for (const [description, payload, field] of texts)
      it(`rejects ${description}, which databases cannot store`, async () => {
        const { errors } = expectError(await send(payload), 'validation_failed')
        assert.deepEqual(Object.keys(errors), [field])
        assert.equal(errors[field][0].code, 'invalid_text')
      })

    it('rejects a body of 25 levels', async () => {
      const deepBody = `${'{"a":'.repeat(25)}1${'}'.repeat(25)}`
      const { errors } = expectError(await send(deepBody), 'validation_failed')
      assert.equal(errors.a[0].code, 'too_deep')
    })

    const names = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', 'then', 'a/b', 'a~b']
    for (const name of names)
      it(`names the unknown field ${name}`, async () => {
        const response = await send(JSON.stringify({ [name]: 1 }))
        const { errors } = expectError(response, 'validation_failed')
        assert.deepEqual(Object.keys(errors), [name])
        assert.equal(errors[name][0].code, 'unknown_field')
      })

    it('converts neither numbers to strings nor strings to numbers', async () => {
      const slug = expectError(await send('{"slug":12}'), 'validation_failed').errors.slug
      assert.deepEqual(slug, [{ code: 'wrong_type', message: 'Must be string or null.' }])
      const body = { name: 'x', seconds: '12' }
      expectError(await t.call('POST', '/v1/user/token', { body }), 'validation_failed')
    })

    it('never repeats a value in the error', async () => {
      const response = await send(JSON.stringify({ slug: 'CANARY VALUE', x: 'CANARY VALUE' }))
      expectError(response, 'validation_failed')
      assert.ok(!response.text.includes('CANARY'))
    })
  })

  describe('413', () => {
    const padBody = (length: number) => `{}${' '.repeat(length - 2)}`

    it('accepts 65,536 bytes and rejects 65,537', async () => {
      expectCreated(await send(padBody(LIMIT)))
      expectError(await send(padBody(LIMIT + 1)), 'body_too_large')
    })

    it('limits bytes, not characters', async () => {
      const payload = JSON.stringify({ slug: 'é'.repeat(LIMIT / 2) })
      assert.ok(payload.length < LIMIT)
      expectError(await send(payload), 'body_too_large')
    })
  })

  describe('415', () => {
    const types = [
      ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
      ...['application/jsonx', 'text/json', 'application/xml', 'nonsense', 'application/json,x/y'],
    ]
    for (const type of types)
      it(`rejects ${type}`, async () => {
        expectError(await sendAs(type), 'unsupported_media_type')
      })

    it('rejects a body without a content type', async () => {
      const response = await t.app.inject({
        method: 'POST',
        url: '/api/v1/workspace',
        headers: { authorization: `Bearer ${t.token}`, 'content-length': '2' },
        payload: '{}',
      })
      assert.equal(response.statusCode, 415)
      assert.equal(response.json().error, 'unsupported_media_type')
    })

    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ])
      it(`accepts ${type}`, async () => {
        expectCreated(await sendAs(type))
      })
  })

  it('accepts null for optional fields, and a byte order mark', async () => {
    expectCreated(await send('{"slug":null}'))
    expectCreated(await send('\ufeff{"slug":null}'))
  })

  it('uses the last of two equal keys, like JSON.parse', async () => {
    assert.equal(
      expectCreated(await send('{"slug":"first-one","slug":"second-one"}')).slug,
      'second-one',
    )
  })

  it('accepts a content type on GET and DELETE without a body', async () => {
    const headers = { 'content-type': 'application/json' }
    expectOk(await t.call('GET', '/v1/user', { headers }))
    const createdToken = expectCreated(
      await t.call('POST', '/v1/user/token', { body: { name: 'x' } }),
    )
    expectOk(
      await t.call('DELETE', `/v1/user/token/${createdToken.tokenId}`, { headers, payload: '' }),
    )
  })
})
