import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listSufficientScopes, SCOPES, type Scope } from '../src/access/auth/caller.ts'
import { WEBDAV_METHODS } from '../src/accounts/proxy/schemas.ts'
import { type ApiOperation, listApiOperations } from './api-operations.ts'
import { type TestApp, testApp } from './test-app.ts'
import { expectError } from './test-context.ts'

const operations = await listApiOperations()

describe('Scopes', () => {
  let t: TestApp
  const tokens = new Map<Scope, string>()
  before(async () => {
    t = await testApp()
    for (const scope of SCOPES) tokens.set(scope, await t.createToken({ scopes: [scope] }))
  })
  after(() => t.close())

  const send = ({ method, path }: ApiOperation, token: string | null) => {
    const body = method === 'POST' ? { body: { nonsense: 1 } } : {}
    return t.call(method, path.replaceAll(/\{[^}]+\}/g, 'nonsense'), { token, ...body })
  }

  it('every route of the router under /api is documented', () => {
    const documented = operations.map(
      ({ method, path }) =>
        `${method} /api${path.replace('/proxy/{path}', '/proxy/*').replaceAll(/\{([^}]+)\}/g, ':$1')}`,
    )
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, documented.length)
    // OpenAPI cannot describe WebDAV methods.
    const proxied = ['OPTIONS', ...WEBDAV_METHODS].map(
      (method) => `${method} /api/v1/integration_account/:integrationAccountId/proxy/*`,
    )
    const hidden = ['GET /api/openapi.json', 'GET /api/v1/oauth/callback', ...proxied]
    assert.deepEqual([...routesUnderApi(t)].sort(), [...documented, ...hidden].sort())
  })

  it('links:write and read allow creating links and reading, and nothing else', async () => {
    const token = await t.createToken({ scopes: ['links:write', 'read'] })
    const permitted = []
    for (const operation of operations)
      if ((await send(operation, token)).status !== 403) permitted.push(operation.operationId)
    const reads = operations.filter(({ scope }) => ['read', 'any'].includes(scope))
    const expected = [
      ...['createLink', 'updateLink', 'deleteLink'],
      ...['createConnectSession', 'deleteConnectSession'],
      ...reads.map(({ operationId }) => operationId),
    ]
    assert.deepEqual(permitted.toSorted(), expected.toSorted())
    assert.ok(!expected.includes('checkAccount') && expected.includes('listAccounts'))
  })

  it('are in the description of each operation', () => {
    for (const { operationId, description, scope } of operations) {
      if (scope === 'any') continue
      const sentence = `Requires the scope ${listSufficientScopes(scope).join(' or ')}.`
      assert.ok(description.endsWith(sentence), operationId)
    }
  })

  for (const operation of operations) {
    const { operationId, scope: requiredScope } = operation
    const sufficient = listSufficientScopes(requiredScope)
    it(`${operationId} accepts ${requiredScope === 'any' ? 'any scope' : `${sufficient.join(' or ')} and no other`}`, async () => {
      for (const [scope, token] of tokens) {
        const response = await send(operation, token)
        if (requiredScope === 'any' || sufficient.includes(scope))
          assert.notEqual(response.status, 403, scope)
        else
          assert.ok(
            expectError(response, 'insufficient_scope').message.includes(sufficient.join(' or ')),
          )
      }
    })

    it(`${operationId}: 401 without a token or with an invalid one, without a reason`, async () => {
      expectError(await send(operation, null), 'token_missing')
      const response = await send(operation, 'lp_wrong')
      expectError(response, 'token_invalid')
      assert.equal(response.headers['www-authenticate'], 'Bearer error="invalid_token"')
    })
  }
})

/** The routes of the router, from `printRoutes`: `METHOD path`, without HEAD. */
function routesUnderApi({ app }: TestApp): Set<string> {
  const found = new Set<string>()
  const segments: string[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const match = /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line)
    if (match === null) continue
    const [, indent = '', part = '', methods = ''] = match
    segments.length = indent.length / 4
    // The listing omits the slash before the only wildcard.
    segments.push(part === '*' ? '/*' : part)
    const path = segments.join('')
    if (!path.startsWith('/api')) continue
    for (const method of methods.split(', '))
      if (!/^(HEAD)?$/.test(method)) found.add(`${method} ${path}`)
  }
  return found
}
