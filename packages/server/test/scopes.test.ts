import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listSufficientScopes, SCOPES, type Scope } from '../src/access/auth/scopes.ts'
import { WEBDAV_METHODS } from '../src/accounts/proxy/methods.ts'
import { REQUIRED_SCOPES } from './required-scopes.ts'
import type { ApiDocument } from './response-contract.ts'
import { type TestApp, testApp } from './test-app.ts'
import { expectError } from './test-context.ts'

describe('Scopes', () => {
  let t: TestApp
  const tokens = new Map<Scope, string>()
  before(async () => {
    t = await testApp()
    for (const scope of SCOPES) tokens.set(scope, await t.createToken({ scopes: [scope] }))
  })
  after(() => t.close())

  const listOperations = () =>
    Object.entries((t.app.swagger() as unknown as ApiDocument).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    )

  it('are listed for exactly the operations of the service', () => {
    const ids = listOperations().map(({ operationId }) => operationId)
    assert.ok(ids.length >= 11)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(ids.toSorted(), Object.keys(REQUIRED_SCOPES).sort())
  })

  it('every route of the router under /api is documented', () => {
    const documented = listOperations().map(
      ({ method, path }) =>
        `${method.toUpperCase()} ${path.replace('/proxy/{path}', '/proxy/*').replaceAll(/\{([^}]+)\}/g, ':$1')}`,
    )
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
    for (const { operationId, path, method } of listOperations()) {
      const url = `!${path.replaceAll(/\{[^}]+\}/g, 'nonsense')}`
      const body = method === 'post' ? { body: { nonsense: 1 } } : {}
      const response = await t.call(method.toUpperCase(), url, { token, ...body })
      if (response.status !== 403) permitted.push(operationId)
    }
    const reads = listOperations().filter(({ operationId }) =>
      ['read', 'any'].includes(REQUIRED_SCOPES[operationId] ?? ''),
    )
    const expected = [
      ...['createLink', 'updateLink', 'deleteLink'],
      ...['createConnectSession', 'deleteConnectSession'],
      ...reads.map(({ operationId }) => operationId),
    ]
    assert.deepEqual(permitted.toSorted(), expected.toSorted())
    assert.ok(!expected.includes('checkAccount') && expected.includes('listAccounts'))
  })

  it('are in the description of each operation', () => {
    const paths = (t.app.swagger() as unknown as ApiDocument).paths
    for (const { operationId, description } of Object.values(paths).flatMap(Object.values)) {
      const requiredScope = REQUIRED_SCOPES[operationId]
      if (requiredScope === undefined || requiredScope === 'any') continue
      const sentence = `Requires the scope ${listSufficientScopes(requiredScope).join(' or ')}.`
      assert.ok(description.endsWith(sentence), operationId)
    }
  })

  for (const [operationId, requiredScope] of Object.entries(REQUIRED_SCOPES))
    it(`${operationId} accepts ${requiredScope === 'any' ? 'any scope' : `${listSufficientScopes(requiredScope).join(' or ')} and no other`}`, async () => {
      const found = listOperations().find((one) => one.operationId === operationId)
      assert.ok(found)
      const { path, method } = found
      const url = `!${path.replaceAll(/\{[^}]+\}/g, 'nonsense')}`
      const body = method === 'post' ? { body: { nonsense: 1 } } : {}
      for (const [scope, token] of tokens) {
        const response = await t.call(method.toUpperCase(), url, { token, ...body })
        const sufficient = listSufficientScopes(requiredScope)
        if (requiredScope === 'any' || sufficient.includes(scope))
          assert.notEqual(response.status, 403, scope)
        else
          assert.ok(
            expectError(response, 'insufficient_scope').message.includes(sufficient.join(' or ')),
          )
      }
    })
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
