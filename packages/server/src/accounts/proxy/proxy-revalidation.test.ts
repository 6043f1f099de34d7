// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'

describeOnBothDatabases('a proxied 401 for credentials that cannot be refreshed', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  /** The status of the API for requests and for CHECK. */
  let apiStatus: number
  let checkStatus: number
  let checkCount: number
  let integrationDefinitionId: string

  before(async () => {
    t = await testContext({ url: await newUrl() })
    t.stubServer.serve('/thing', (_request, response) => response.writeHead(apiStatus).end())
    t.stubServer.serve('/check-result', (_request, response) => {
      checkCount += 1
      response.writeHead(checkStatus).end()
    })
    const code = bundle(t.stubServer.url)
    integrationDefinitionId = (await t.createDefinition({ code })).integrationDefinitionId
  })
  after(() => t.close())
  beforeEach(() => {
    apiStatus = 200
    checkStatus = 200
    checkCount = 0
  })

  const connect = async (config: object = {}) => {
    const accountConfig = { api_key: 'a-customer-key', ...config }
    const account = await t.createAccount(integrationDefinitionId, {
      authType: 'Api Key',
      config: accountConfig,
    })
    checkCount = 0
    return account.integrationAccountId
  }
  const path = (id: string) => `/v1/integration_account/${id}`
  const send = async (id: string) => {
    const response = await t.app.inject({
      method: 'GET',
      url: `/api${path(id)}/proxy/thing`,
      headers: { authorization: `Bearer ${t.token}` },
    })
    return response.statusCode
  }
  const fetchStatus = async (id: string) => {
    const { status, statusReason } = expectOk(await t.call('GET', path(id)))
    return [status, statusReason]
  }

  it('sets needs_reauth immediately if CHECK fails too', async () => {
    const id = await connect()
    assert.equal(await send(id), 200)
    apiStatus = 401
    checkStatus = 401
    assert.equal(await send(id), 424)
    assert.deepEqual(await fetchStatus(id), ['needs_reauth', 'credentials_rejected'])
    assert.equal(await send(id), 424)
    assert.equal(checkCount, 1)
    assert.ok((await listAuditActions(t, id)).includes('account.needs_reauth'))
  })

  it('is returned unchanged while the definition is suspect, and the account is held', async () => {
    const id = await connect()
    const scope = {
      definition_id: integrationDefinitionId as DefinitionId,
      workspace_id: t.workspaceId,
    }
    const suspect = { ...scope, suspects: '[]', suspect_since: Date.now() }
    await t.database.transaction((trx) =>
      trx
        .insertInto('definition_health')
        .values(suspect)
        .onConflict((conflict) =>
          conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(suspect),
        )
        .execute(),
    )
    apiStatus = 401
    checkStatus = 401
    assert.equal(await send(id), 401)
    assert.deepEqual(await fetchStatus(id), ['active', null])
    assert.equal(checkCount, 1)
    const { isHeld, nextCheckAt } = expectOk(await t.call('GET', `${path(id)}/health`))
    assert.equal(isHeld, true)
    const waitMs = Date.parse(nextCheckAt) - Date.now()
    assert.ok(waitMs > 59 * 60_000 && waitMs <= 60 * 60_000, `${waitMs} ms`)
    await t.database.transaction((trx) =>
      trx
        .deleteFrom('definition_health')
        .where('definition_id', '=', scope.definition_id)
        .execute(),
    )
  })

  it('is returned if CHECK succeeds, which runs only once per interval', async () => {
    const id = await connect()
    apiStatus = 401
    for (let times = 0; times < 5; times += 1) assert.equal(await send(id), 401)
    assert.deepEqual(await fetchStatus(id), ['active', null])
    assert.equal(checkCount, 1)
    apiStatus = 200
    assert.equal(await send(id), 200)
  })

  for (const status of [429, 503])
    it(`is returned if CHECK gets ${status}`, async () => {
      const id = await connect()
      apiStatus = 401
      checkStatus = status
      assert.equal(await send(id), 401)
      assert.deepEqual(await fetchStatus(id), ['active', null])
    })

  it('is returned if the credentials are valid but lack a permission', async () => {
    const id = await connect({ lacks: true })
    apiStatus = 401
    checkStatus = 403
    assert.equal(await send(id), 401)
    assert.deepEqual(await fetchStatus(id), ['active', null])
  })

  it('runs one CHECK for many concurrent callers', async () => {
    const id = await connect()
    apiStatus = 401
    checkStatus = 401
    const statuses = await Promise.all(Array.from({ length: 20 }, () => send(id)))
    assert.ok(statuses.every((status) => status === 401 || status === 424))
    assert.deepEqual(await fetchStatus(id), ['needs_reauth', 'credentials_rejected'])
    assert.equal(checkCount, 1)
  })
}

function bundle(url: string): string {
  const properties = { api_key: { type: 'string' }, lacks: { type: 'boolean' } }
  const spec = {
    api_base_url: url,
    auth_specification: {
      'Api Key': {
        input_specification: { type: 'object', required: ['api_key'], properties },
        headers: { Authorization: 'Bearer ${api_key}' },
      },
    },
  }
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') throw new Error('Command not found')
  const { ok } = await fetch(${JSON.stringify(url)} + '/check-result')
  return { status: ok, error: ok ? '' : 'Not accepted.', code: config.lacks ? 'insufficient_scope' : 'invalid_credentials' }
}
`
}
