import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'

describe('Queries and paths', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const get = (path: string) => t.call('GET', path)
  const list = (query: string) => get(`/v1/integration_account?${query}`)

  describe('400 invalid_parameter', () => {
    const wrong: [string, string, string][] = [
      ['an unknown name', 'page=1', 'page'],
      ['a name in other letter case', 'Limit=1', 'Limit'],
      ['limit twice', 'limit=1&limit=1', 'limit'],
      ['limit as a list', 'limit[]=1', 'limit[]'],
      ['workspaceId twice', 'workspaceId=a&workspaceId=a', 'workspaceId'],
      ['a limit of 0', 'limit=0', 'limit'],
      ['a limit of 1001', 'limit=1001', 'limit'],
      ['a negative limit', 'limit=-1', 'limit'],
      ['an exponent', 'limit=1e2', 'limit'],
      ['a part', 'limit=1.0', 'limit'],
      ['hexadecimal', 'limit=0x10', 'limit'],
      ['a plus sign', 'limit=%2B5', 'limit'],
      ['white space', 'limit=%205', 'limit'],
      ['no value', 'limit=', 'limit'],
      ['a limit without =', 'limit', 'limit'],
      ['full-width digits', 'limit=%EF%BC%95', 'limit'],
      ['a boolean of 1', 'includeDeleted=1', 'includeDeleted'],
      ['a boolean of yes', 'includeDeleted=yes', 'includeDeleted'],
      ['a boolean in upper case', 'includeDeleted=TRUE', 'includeDeleted'],
      ['an empty boolean', 'includeDeleted=', 'includeDeleted'],
      ['a cursor of another service', 'cursor=abc', 'cursor'],
      ['a cursor without a row', `cursor=${encode('1.acc_x')}`, 'cursor'],
      ['a cursor with SQL in it', `cursor=${encode("1.acc_' or 1=1 --")}`, 'cursor'],
      ['a long cursor', `cursor=${'a'.repeat(201)}`, 'cursor'],
      ['U+0000', 'accountIdentifier=%00', 'accountIdentifier'],
      ['bytes that are not UTF-8', 'accountIdentifier=%ff', 'accountIdentifier'],
      ['an invalid escape', 'accountIdentifier=%zz', 'accountIdentifier'],
      ['a truncated escape', 'accountIdentifier=%', 'accountIdentifier'],
      ['a surrogate', 'accountIdentifier=%ed%a0%80', 'accountIdentifier'],
      ['a long identifier', `accountIdentifier=${'a'.repeat(256)}`, 'accountIdentifier'],
    ]
    for (const [description, query, field] of wrong)
      it(`rejects ${description}`, async () => {
        const { errors } = expectError(await list(query), 'invalid_parameter')
        assert.deepEqual(Object.keys(errors), [field])
      })

    it('reports a repeated parameter with the code repeated', async () => {
      for (const name of ['limit', 'workspaceId', 'x']) {
        const { errors } = expectError(await list(`${name}=1&${name}=1`), 'invalid_parameter')
        assert.deepEqual(errors[name], [{ code: 'repeated', message: 'Must not be repeated.' }])
      }
    })

    it('reports all unknown parameters at once, including names of Object.prototype', async () => {
      const { errors } = expectError(await list('toString=1&__proto__=2&x=3'), 'invalid_parameter')
      assert.deepEqual(Object.keys(errors).sort(), ['__proto__', 'toString', 'x'])
    })
  })

  describe('200', () => {
    for (const query of ['limit=1', 'limit=1000', 'limit=007', 'includeDeleted=false', ''])
      it(`accepts ?${query}`, async () => {
        assert.deepEqual(expectOk(await list(query)), [])
      })
    it('accepts repeated and comma-separated categories, and a mixture of both', async () => {
      const query = 'category=TICKETING&category=MAIL,crm'
      assert.deepEqual(expectOk(await get(`/v1/integration_definition?${query}`)), [])
    })
  })

  describe('404', () => {
    it('gives the same error for every unknown path', async () => {
      const paths = [
        '/v1',
        '/v2/user',
        '/v1/users',
        '/v1/user/',
        '/v1//user',
        '/v1/USER',
        '/v1/%ff',
      ]
      for (const path of paths) expectError(await get(path), 'route_not_found')
    })

    it('returns an ApiException outside /api too, without a token', async () => {
      const response = await t.call('GET', '!/nope?x=1', { token: null })
      assert.equal(expectError(response, 'route_not_found').path, '/nope')
    })

    it('treats invalid percent-encoding as an unknown id', async () => {
      for (const id of ['%', '%zz', '%f', '%ff', '%c0%80', '%ed%a0%80', '%00', '..%2f..'])
        expectError(await get(`/v1/link/${id}`), 'link_not_found')
    })

    it('path contains neither the query nor a complete link id', async () => {
      const id = `lnk_${'a'.repeat(32)}`
      const { path } = expectError(
        await get(`/v1/link/${id}?accountIdentifier=x`),
        'link_not_found',
      )
      assert.equal(path, '/api/v1/link/lnk_aaaa')
    })
  })

  describe('405', () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
      it(`rejects ${method} on /v1/user and lists the allowed methods`, async () => {
        const response = await t.call(method, '/v1/user')
        expectError(response, 'method_not_allowed')
        assert.equal(response.headers.allow, 'GET, HEAD, POST')
      })

    it('rejects HEAD on a path without GET', async () => {
      const response = await t.call('HEAD', '/v1/user/token/tok_x')
      assert.equal(response.status, 405)
      assert.equal(response.headers.allow, 'DELETE')
    })
  })

  it('HEAD: same headers as GET, without the body', async () => {
    const [head, whole] = [await t.call('HEAD', '/v1/user'), await get('/v1/user')]
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], whole.headers['content-length'])
  })

  it('414: accepts a URL of 4,096 characters and rejects 4,097', async () => {
    const prefix = '/api/v1/link/'
    const createUrl = (length: number) => `!${prefix}${'a'.repeat(length - prefix.length)}`
    expectError(await t.call('GET', createUrl(4_096)), 'link_not_found')
    expectError(await t.call('GET', createUrl(4_097)), 'uri_too_long')
    expectError(await t.call('GET', createUrl(15_000)), 'uri_too_long')
  })
})

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
