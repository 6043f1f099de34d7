import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { expectOk } from '../../../../test/expect-response.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { newId } from '../../../platform/storage/id.ts'
import { getAuthHeaders } from './auth-headers/get-auth-headers.ts'
import { GrantCache } from './grant-cache.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describeOnBothDatabases('Cached grants', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  const connect = (hasApp = true) =>
    context.account({
      code: createCode('a'),
      hasApp,
      config: { refresh_token: undefined, access_token: 'token-1' },
      row: { token_expires_at: null, refresh_at: null },
    })
  const createCode = (name: string) =>
    `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(createOAuthSpec(context.provider))}
      if (command === 'HEADERS')
        return { 'X-Name': '${name}', 'X-Key': config.access_token, 'X-Secret': config.client_secret ?? 'none' }
      return { status: true, error: '' }
    }`
  /** What both nodes send, after each has used the account before. */
  const nodes = () => [context.node(), context.node()] as const
  const use = async (all: readonly ReturnType<RefreshTestContext['node']>[], id: Connected) =>
    Promise.all(all.map(async (node) => (await getAuthHeaders(node, id)).headers))
  type Connected = Awaited<ReturnType<typeof connect>>['id']

  it('end on every node with a new secret of the OAuth app', async () => {
    const { id } = await connect()
    const all = nodes()
    for (const headers of await use(all, id)) assert.equal(headers?.['X-Secret'], 'app-secret')
    const { oauth_app_id } = await context.row(id)
    const change = { clientSecret: 'rotated-secret' }
    expectOk(
      await context.t.call('POST', `/v1/integration_oauth/${oauth_app_id}`, { body: change }),
    )
    for (const headers of await use(all, id)) assert.equal(headers?.['X-Secret'], 'rotated-secret')
  })

  it('end on every node with a new version of the definition', async () => {
    const { id } = await connect(false)
    const all = nodes()
    for (const headers of await use(all, id)) assert.equal(headers?.['X-Name'], 'a')
    const { definition_id } = await context.row(id)
    const code = createCode('b')
    const change = { bundle: Buffer.from(code).toString('base64') }
    expectOk(
      await context.t.call('POST', `/v1/integration_definition/${definition_id}`, { body: change }),
    )
    for (const headers of await use(all, id)) assert.equal(headers?.['X-Name'], 'b')
  })

  it('belong to one account, and to one version of its row and of the definitions', async () => {
    const { id } = await connect(false)
    const node = context.node()
    await getAuthHeaders(node, id)
    const found = await node.refreshStore.find(id)
    assert.ok(found?.row.sealedConfig)
    const { grants } = node.refreshCache
    assert.equal(grants.find(found)?.headers.headers?.['X-Key'], 'token-1')
    const { row, epoch } = found
    const otherBytes = Buffer.from(found.row.sealedConfig)
    otherBytes[20] = (otherBytes[20] ?? 0) ^ 1
    for (const other of [
      { row, epoch: `${epoch}1` },
      { row: { ...row, accountId: newId('acc', 1) }, epoch },
      { row: { ...row, credentialVersion: row.credentialVersion + 1 }, epoch },
      { row: { ...row, sealedConfig: otherBytes }, epoch },
      { row: { ...row, sealedHeaders: otherBytes }, epoch },
      { row: { ...row, workspaceId: newId('wsp', 1) }, epoch },
      { row: { ...row, authType: 'Other' }, epoch },
    ]) {
      await getAuthHeaders(node, id)
      assert.ok(grants.find(found))
      assert.equal(grants.find(other), undefined)
    }
  })

  it('are bounded in bytes, and too large ones are not cached', async () => {
    const { id } = await connect(false)
    const found = await context.node().refreshStore.find(id)
    assert.ok(found)
    const grants = new GrantCache()
    const store = (accountId: Connected, bytes: number) =>
      grants.store(
        { row: { ...found.row, accountId }, epoch: found.epoch },
        {
          config: { token: 'x'.repeat(bytes) },
          app: undefined,
          clientSecret: undefined,
          headers: { headers: null, until: 0 },
        },
      )
    store(id, 200_000)
    assert.equal(grants.find(found), undefined)
    store(id, 100_000)
    assert.ok(grants.find(found))
    for (let count = 0; count < 400; count += 1) store(newId('acc', count), 100_000)
    assert.equal(grants.find(found), undefined)
  })
}
