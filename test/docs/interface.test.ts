import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { listSufficientScopes, SCOPES } from '../../packages/server/src/access/auth/caller.ts'
import { type TestApp, testApp } from '../../packages/server/test/test-app.ts'

/** One row of the endpoint table in docs/interface.md. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly scope: string
}

interface Operation {
  readonly operationId: string
  readonly responses: Record<string, unknown>
}

const TEXT = readFileSync(new URL('../../docs/interface.md', import.meta.url), 'utf8')

describe('docs/interface.md', () => {
  let app: TestApp
  before(async () => {
    app = await testApp()
  })
  after(() => app.close())

  it('lists the eleven operations of the appendix first, then the others', () => {
    const required = readRequiredOperations()
    assert.equal(required.length, 11)
    const ids = readTable().map((row) => row.operationId)
    assert.deepEqual(ids.slice(0, 11), required)
    assert.ok(ids.length > 11)
  })

  it('names fields of the given interface that the service has', async () => {
    const { body } = await app.call('GET', '!/api/openapi.json', { token: null })
    const [, appendix = ''] = TEXT.split('fields of the given interface')
    const rows = [...appendix.matchAll(/^\| (\w+) \| (.+) \|$/gm)]
    assert.equal(rows.length, 5)
    for (const [, schema = '', list = ''] of rows)
      for (const [, field = ''] of list.matchAll(/`(\w+)`/g))
        assert.ok(field in body.components.schemas[schema].properties, `${schema}.${field}`)
  })

  it('lists exactly the operations of the service, with method, path and success status', async () => {
    const routes = await listDocumentedRoutes(app)
    assert.ok(routes.length >= 11, 'the service describes its operations')
    assert.match(TEXT, /begins with `create` succeed with 201, all others with 200/)
    const rows = readTable().map(({ method, path, operationId }) =>
      [method, path, operationId, operationId.startsWith('create') ? '201' : '200'].join(' '),
    )
    assert.deepEqual(rows.toSorted(), routes.toSorted())
  })

  it('lists the scope that each operation requires', async () => {
    const rows = readTable()
    assert.ok(rows.length > 0)
    const tokens = new Map<string, string>()
    for (const scope of SCOPES) tokens.set(scope, await app.createToken({ scopes: [scope] }))
    for (const row of rows) {
      const permitted = []
      for (const [scope, token] of tokens)
        if (await isPermitted(app, row, token)) permitted.push(scope)
      const sufficient = row.scope === 'any' ? SCOPES : listSufficientScopes(row.scope)
      assert.deepEqual(permitted.toSorted(), [...sufficient].sort(), row.operationId)
    }
  })
})

/** The operations of the given interface, as the appendix lists them. */
function readRequiredOperations(): string[] {
  const [, list = ''] = /eleven operations:\n\n(.+)\.\n/.exec(TEXT) ?? []
  return list.split(', ').map((id) => id.replaceAll('`', ''))
}

function readTable(): Endpoint[] {
  const section = TEXT.split('## Endpoints')[1]?.split('\n### ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => /^\| (?:GET|POST|PUT|PATCH|DELETE) \|/.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const [, method = '', path = '', operationId = '', scope = ''] = cells
      return { method, path, operationId, scope }
    })
}

async function listDocumentedRoutes(app: TestApp): Promise<string[]> {
  const { body } = await app.call('GET', '!/api/openapi.json', { token: null })
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>)
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'))
      return [
        method.toUpperCase(),
        path.replace(/^\/api/, ''),
        operation.operationId,
        success.join(),
      ].join(' ')
    }),
  )
}

/** Whether the token's scopes permit the operation, whatever the rest of the request leads to. */
async function isPermitted(
  app: TestApp,
  { method, path }: Endpoint,
  token: string,
): Promise<boolean> {
  const response = await app.call(method, path.replace(/\{\w+\}/g, 'unknown'), {
    token,
    ...(method === 'POST' ? { body: { unknown: true } } : {}),
  })
  return response.body?.error !== 'insufficient_scope'
}
