import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import { listAuditActions } from '../../../../../test/test-context.ts'
import type { AccountId } from '../../account.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

/** The ways in which bundles report a failure of HEADERS. */
const FAILURE_MODES = ['throws', 'returns an error', 'returns an empty object'] as const
type FailureMode = (typeof FAILURE_MODES)[number]

describeOnBothDatabases('a failing HEADERS of an account without an OAuth app', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  /** The responses of the provider to HEADERS and CHECK. */
  let tokenStatus: number
  let checkStatus: number
  let checkCount: number
  let tokenRequestCount: number

  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    context.t.stubServer.serve('/token', (_request, response) => {
      tokenRequestCount += 1
      response.writeHead(tokenStatus).end()
    })
    context.t.stubServer.serve('/validate', (_request, response) => {
      checkCount += 1
      response.writeHead(checkStatus).end()
    })
  })
  after(() => context.close())
  beforeEach(() => {
    tokenStatus = 401
    checkStatus = 401
    checkCount = 0
    tokenRequestCount = 0
  })

  const connect = async (mode: FailureMode, config: object = {}, hasApp = false) => {
    const row = { token_expires_at: null, refresh_at: null }
    const code = createBundle(context, mode)
    return (await context.account({ hasApp, row, code, config: { ...config } })).id
  }
  const getHeadersOrErrorCode = (id: AccountId, node: RefreshDeps = context.node()) =>
    getAuthHeaders(node, id).then(
      ({ headers }) => headers,
      (error: { code: string }) => error.code,
    )
  const expectActive = async (id: AccountId) => {
    const { status, status_reason, lease_owner, credential_version } = await context.row(id)
    const expected = ['active', null, null, 1]
    assert.deepEqual([status, status_reason, lease_owner, credential_version], expected)
  }

  for (const mode of FAILURE_MODES)
    for (const [kind, config] of [
      ['a refresh token', {}],
      ['client credentials', { refresh_token: undefined, access_token: undefined }],
    ] as const)
      it(`sets needs_reauth when CHECK rejects the credentials too: ${kind}, the bundle ${mode}`, async () => {
        const id = await connect(mode, config)
        assert.equal(await getHeadersOrErrorCode(id), 'needs_reauth')
        const { status, status_reason, lease_owner, refresh_at } = await context.row(id)
        const expected = ['needs_reauth', 'credentials_rejected', null, null]
        assert.deepEqual([status, status_reason, lease_owner, refresh_at], expected)
        assert.deepEqual(await listAuditActions(context.t, id), ['account.needs_reauth'])
        assert.equal(await getHeadersOrErrorCode(id), 'needs_reauth')
        assert.equal(checkCount, 1)
      })

  for (const status of [403, 404, 408, 429, 500, 503])
    it(`does not run CHECK when the provider responds with ${status}`, async () => {
      tokenStatus = status
      for (const mode of FAILURE_MODES) {
        const id = await connect(mode)
        assert.notEqual(await getHeadersOrErrorCode(id), 'needs_reauth')
        await expectActive(id)
      }
      assert.equal(checkCount, 0)
    })

  it('does not run CHECK when the provider is unreachable', async () => {
    const id = await connect('throws', { url: 'http://127.0.0.1:9' })
    assert.equal(await getHeadersOrErrorCode(id), 'integration_failed')
    await expectActive(id)
    assert.equal(checkCount, 0)
  })

  for (const status of [429, 503])
    it(`changes nothing when CHECK receives ${status}, and runs it again next time`, async () => {
      checkStatus = status
      const id = await connect('throws')
      const node = context.node()
      assert.equal(await getHeadersOrErrorCode(id, node), 'integration_failed')
      await expectActive(id)
      checkStatus = 401
      assert.equal(await getHeadersOrErrorCode(id, node), 'needs_reauth')
    })

  it('changes nothing when CHECK accepts the credentials, and does not run it on every use', async () => {
    checkStatus = 200
    const id = await connect('throws')
    const node = context.node()
    for (let times = 0; times < 3; times += 1)
      assert.equal(await getHeadersOrErrorCode(id, node), 'integration_failed')
    await expectActive(id)
    assert.equal(checkCount, 1)
  })

  it('changes nothing when CHECK throws', async () => {
    const id = await connect('throws', { breaks: true })
    assert.equal(await getHeadersOrErrorCode(id), 'integration_failed')
    await expectActive(id)
  })

  it('changes nothing when CHECK returns a retryable error', async () => {
    const id = await connect('throws', { retryable: true })
    assert.equal(await getHeadersOrErrorCode(id), 'integration_failed')
    await expectActive(id)
  })

  it('does not run CHECK for an account with an OAuth app, whose token endpoint decides', async () => {
    const id = await connect('throws', {}, true)
    assert.equal(await getHeadersOrErrorCode(id), 'integration_failed')
    await expectActive(id)
    assert.equal(checkCount, 0)
  })

  it('runs CHECK once for many callers on two nodes', async () => {
    const id = await connect('returns an empty object')
    const nodes = [context.node(), context.node()]
    const callers = Array.from({ length: 12 }, (_, index) => nodes[index % 2])
    const results = await Promise.all(callers.map((node) => getHeadersOrErrorCode(id, node)))
    assert.deepEqual(new Set(results), new Set(['needs_reauth']))
    assert.deepEqual([tokenRequestCount, checkCount], [2, 1])
    assert.deepEqual(await listAuditActions(context.t, id), ['account.needs_reauth'])
  })
}

function createBundle(context: RefreshTestContext, mode: FailureMode): string {
  return `
const spec = ${JSON.stringify(createOAuthSpec(context.provider))}
const reportFailure = {
  throws: () => { throw new Error('Request failed with status code 401') },
  'returns an error': () => ({ status: false, error: 'This login has ended.' }),
  'returns an empty object': () => ({}),
}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  const url = config.url ?? ${JSON.stringify(context.t.stubServer.url)}
  if (command === 'HEADERS') {
    const response = await fetch(url + '/token', { method: 'POST' })
    return response.ok ? { Authorization: 'Bearer x' } : reportFailure[${JSON.stringify(mode)}]()
  }
  if (command !== 'CHECK') throw new Error('Command not found')
  const { ok } = await fetch(url + '/validate')
  if (config.breaks) throw new Error('broken')
  return { status: ok, error: ok ? '' : 'Not accepted.', retryable: config.retryable }
}
`
}
