import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { getValidCredentials } from '../../accounts/accounts/token-refresh/get-valid-credentials.ts'
import { createRefreshCounts } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import {
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from '../../accounts/accounts/token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases('The metrics of token refresh', (newUrl) => {
  const refreshCounts = createRefreshCounts()
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl(), refreshCounts })
  })
  after(() => context.close())

  async function readMetric(name: string): Promise<number> {
    const { text } = await context.t.call('GET', '!/metrics')
    const [, value] =
      new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text) ?? []
    return Number(value)
  }
  const readOutcome = (outcome: string) =>
    readMetric(`linchpin_token_refreshes_total{outcome="${outcome}"}`)

  it('count refreshes in the background and at use, by outcome', async () => {
    const node = () => context.node({ refreshCounts })
    const { provider } = context
    await context.account()
    await refreshDueAccounts(node())
    await getValidCredentials(node(), (await context.account()).id)
    assert.equal(await readOutcome('refreshed'), 2)
    for (const [status, outcome] of [
      [503, 'unavailable'],
      [429, 'rate_limited'],
    ] as const) {
      provider.beforeRotation = (response) => response.writeHead(status).end().writableEnded
      await context.account()
      await refreshDueAccounts(node())
      assert.equal(await readOutcome(outcome), 1, outcome)
    }
    provider.beforeRotation = undefined
    const ended = await context.account()
    ended.family.isRevoked = true
    await refreshDueAccounts(node())
    const broken = await context.account()
    await context.change(broken.id, { sealed_config: Buffer.from('broken') })
    await refreshDueAccounts(node())
    assert.deepEqual(refreshCounts.read(), {
      refreshed: 2,
      unavailable: 1,
      rate_limited: 1,
      rejected: 1,
      refused: 0,
      not_sent: 0,
      discarded: 0,
      failed: 1,
    })
  })

  it('count accounts that have been due for a minute, and for how long', async () => {
    assert.equal(await readMetric('linchpin_token_refreshes_overdue'), 0)
    assert.equal(await readMetric('linchpin_token_refresh_lag_seconds'), 0)
    await context.account({ row: { refresh_at: Date.now() - 30_000 } })
    await context.account({ row: { refresh_at: Date.now() - 90_000 } })
    await context.account({ row: { refresh_at: Date.now() + 90_000 } })
    assert.equal(await readMetric('linchpin_token_refreshes_overdue'), 1)
    const lag = await readMetric('linchpin_token_refresh_lag_seconds')
    assert.ok(lag >= 89 && lag < 100, String(lag))
  })

  it('count no accounts of hosts that do not respond: nodes keep up with the others', async () => {
    const { provider } = context
    const workspaceId = context.t.workspaceId
    const dueLongAgo = { refresh_at: Date.now() - 900_000 }
    const { id } = await context.account({ row: dueLongAgo })
    const host = new URL(provider.url).host
    await context.change(id, { token_host: host })
    const readLag = () => readMetric('linchpin_token_refresh_lag_seconds')
    assert.ok((await readLag()) >= 900)
    refreshCounts.observePassedOver(() => ({ hosts: [{ host, workspaceId }], until: 0 }))
    assert.ok((await readLag()) < 200)
    refreshCounts.observePassedOver(() => ({ hosts: [{ host, workspaceId: null }], until: 0 }))
    assert.ok((await readLag()) < 200)
    refreshCounts.observePassedOver(() => ({ hosts: [], until: Date.now() - 10_000 }))
    assert.ok((await readLag()) < 10)
    refreshCounts.observePassedOver(() => ({ hosts: [], until: 0 }))
  })

  it('know the hosts that three failures in a row have paused', async () => {
    const { provider } = context
    provider.beforeRotation = (response) => response.writeHead(503).end().writableEnded
    for (let count = 0; count < 20; count += 1) await context.account()
    await refreshDueAccounts(context.node({ refreshCounts }), { concurrency: 4 })
    const { host } = new URL(provider.url)
    assert.deepEqual(refreshCounts.readPassedOver().hosts, [
      { host, workspaceId: context.t.workspaceId },
    ])
    provider.beforeRotation = undefined
  })
})
