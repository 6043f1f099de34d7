import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { expectOk } from '../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import type { RequestLogRow } from '../../platform/storage/tables.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

describe('/console/logs', () => {
  let t: ProxyTestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await startProxyTestContext({ requestLog: 'all' })
    visitor = await signIn(t)
  })
  after(() => t.close())

  async function insert(...rows: Partial<RequestLogRow>[]): Promise<string[]> {
    const values = rows.map((row, index) => ({
      ...createSampleRows(Date.now()).request_log,
      request_log_id: newId('req', Date.now()),
      at: Date.now() - index,
      workspace_id: t.workspaceId,
      definition_id: null,
      ...row,
    }))
    await t.database.transaction((trx) => trx.insertInto('request_log').values(values).execute())
    return values.map((row) => row.request_log_id)
  }
  const clear = () =>
    t.database.transaction((trx) => trx.deleteFrom('request_log').execute()).then(() => {})

  it('says that nothing was recorded yet, and shows how to list requests', async () => {
    await clear()
    const { visible, text } = await visitor.get('/console/logs')
    assert.match(visible, /No request has been recorded yet/)
    assert.match(visible, /linchpin\.requests\.list/)
    assert.match(text, /aria-current="page">API requests/)
    assert.match(
      (await visitor.get('/console/logs?view=provider&outcome=failed')).visible,
      /No request matches these filters/,
    )
  })

  it('lists the requests of a tab in pages of 50, and says how many they stand for', async () => {
    await clear()
    const rows = Array.from({ length: 53 }, () => ({ kind: 'api' as const, represents: 20 }))
    await insert(...rows, { kind: 'provider', host: 'only.example.com' })
    const first = await visitor.get('/console/logs')
    assert.equal(readAll(first, 'tr', 'id="row-').length, 50)
    assert.match(first.visible, /stand for 1,000 requests/)
    assert.match(first.visible, /×20/)
    assert.doesNotMatch(first.visible, /only\.example\.com/)
    const provider = await visitor.get('/console/logs?view=provider')
    assert.equal(readAll(provider, 'tr', 'id="row-').length, 1)
    assert.match(provider.visible, /only\.example\.com · Through the proxy/)
  })

  it('follows the log with up to 200 rows while the address says so, and pauses', async () => {
    await clear()
    await insert(...Array.from({ length: 210 }, () => ({ kind: 'api' as const })))
    const live = await visitor.get('/console/logs?live=1')
    assert.equal(readAll(live, 'tr', 'id="row-').length, 200)
    assert.match(live.text, /role="status" data-follow="New requests: \{count\}"/)
    assert.match(live.text, /href="\/console\/logs">.*Pause/)
    assert.doesNotMatch((await visitor.get('/console/logs')).text, /data-follow/)
  })

  it('has filters in the URL, each removable; a connection ID is found as well as a request ID', async () => {
    await clear()
    await insert(
      { kind: 'api', status: 404, status_class: 4, failed: 1, path: '/first' },
      { kind: 'api', status: 200, status_class: 2, failed: 0, path: '/second' },
      { kind: 'api', status: 503, account_id: t.accountId as 'acc_', path: '/third' },
    )
    const paths = async (query: string) => {
      const { visible } = await visitor.get(`/console/logs?${query}`)
      return ['/first', '/second', '/third'].filter((each) => visible.includes(each))
    }
    assert.deepEqual(await paths('outcome=succeeded'), ['/second'])
    assert.deepEqual(await paths('outcome=4xx'), ['/first', '/third'].slice(0, 2))
    assert.deepEqual(await paths(`request=${t.accountId}`), ['/third'])
    assert.deepEqual(await paths(`connection=${t.accountId}`), ['/third'])
    const { text } = await visitor.get('/console/logs?outcome=failed&request=%3Cb%3E')
    assert.ok(!text.includes('<b>&'))
    assert.match(text, /href="\/console\/logs\?outcome&#61;failed"/)
  })

  it('a request ID finds the requests, the attempt and the audit entries; the page of one request has its facts and what its code means', async (test) => {
    await clear()
    t.setProviderHandler((request) => request.socket.destroy())
    const { integrationDefinitionId } = await t.createDefinition()
    const body = {
      integrationDefinitionId,
      integrationAccountName: 'Trail',
      authType: 'Api Key',
      config: { api_key: 'key' },
    }
    const created = await t.call('POST', '/v1/integration_account', { body })
    const requestId = String(created.headers['x-request-id'])
    const failed = await t.send('items/ada@east.example')
    await t.requestLog.flush()

    const entriesOf = async () =>
      expectOk(await t.call('GET', '/v1/audit')).filter(
        (each: AnyBody) => each.requestId === requestId,
      )
    await test.waitFor(async () => assert.ok((await entriesOf()).length > 0), { timeout: 30_000 })
    const trail = await visitor.get(`/console/logs?request=${requestId}`)
    assert.match(trail.visible, /createAccount/)
    assert.match(trail.visible, /Attempts to connect/)
    assert.match(trail.visible, /account\.created/)
    assert.match(
      (await visitor.get('/console/logs?request=none')).visible,
      /Nothing was recorded with this request ID/,
    )

    const id = failed.headers['x-request-id']
    const entries: AnyBody[] = expectOk(await t.call('GET', `/v1/request?requestId=${id}`))
    const api = entries.find(({ kind }) => kind === 'api')
    const page = await visitor.get(`/console/logs/requests/${api?.requestLogId}`)
    assert.match(page.title, /^GET \/v1\/integration_account\/:integrationAccountId\/proxy/)
    assert.match(page.visible, /provider_error/)
    assert.match(page.visible, /the provider was unreachable/)
    assert.match(page.text, /href="\/docs\/errors#provider_error"/)
    const sent = entries.find(({ kind }) => kind === 'provider')
    const provider = await visitor.get(`/console/logs/requests/${sent?.requestLogId}`)
    assert.equal(provider.title, 'GET /v2/items/•')
    assert.match(provider.visible, /The connection to the provider failed/)
    assert.equal((await visitor.get('/console/logs/requests/req_none')).status, 404)
  })

  it('hostile texts are shown and nothing else; a support colleague sees no audit entries', async () => {
    await clear()
    const [id] = await insert({ host: '<img src=x>', path: '/<script>', operation: '"><u>' })
    const page = await visitor.get(`/console/logs/requests/${id}`)
    assert.doesNotMatch(page.text, /<img src=x>|<script>|"><u>/)
    const support = await signIn(t, { role: 'support' })
    const created = await t.call('POST', '/v1/link', { body: { linkName: 'x' } })
    await t.requestLog.flush()
    const query = `request=${created.headers['x-request-id']}`
    assert.match((await support.get(`/console/logs?${query}`)).visible, /createLink/)
    assert.doesNotMatch((await support.get(`/console/logs?${query}`)).visible, /link\.created/)
    await signIn(t, { role: 'owner' })
  })

  it('the page of a connection has its last requests, and failures in a row are one entry of its timeline', async () => {
    await clear()
    const base = {
      kind: 'provider',
      account_id: t.accountId as 'acc_',
      method: 'GET',
      path: '/v2/search',
      host: 'api.example.com',
      status: 401,
    } as const
    await insert(base, base, base, { ...base, status: 200, status_class: 2, failed: 0 })
    const page = await visitor.get(`/console/connections/${t.accountId}`)
    assert.match(page.visible, /Requests that got 401: 3/)
    assert.match(page.visible, /GET api\.example\.com\/v2\/search/)
    assert.equal(readAll(page, 'tr', 'id="row-').length, 4)
    assert.match(page.text, /href="\/console\/logs\?view&#61;provider&#38;connection&#61;acc_/)
  })
})
