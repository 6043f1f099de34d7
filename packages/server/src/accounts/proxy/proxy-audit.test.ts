import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectCreated, expectOk } from '../../../test/test-context.ts'
import { startProxyTestContext } from './test/proxy-test-context.ts'

const HOUR_MS = 60 * 60_000

it('The audit trail has one entry per account, token and hour of requests through the proxy', async (t) => {
  let now = Date.now()
  const hourOf = (at: number) => new Date(at - (at % HOUR_MS)).toISOString()
  const proxy = await startProxyTestContext({ now: () => now })
  t.after(() => proxy.close())
  const { token, tokenId } = expectCreated(
    await proxy.call('POST', '/v1/user/token', { body: { name: 'other', scopes: ['proxy'] } }),
  )
  const body = Buffer.from('{}')
  proxy.setProviderHandler((request, response) => {
    response.writeHead(request.method === 'PUT' ? 503 : 200).end()
  })
  const hours = [hourOf(now), hourOf(now + HOUR_MS)]
  for (const options of [{}, { method: 'POST', body }, { method: 'PUT', body }, { token }])
    await proxy.send('items?secret=planted', options)
  now += HOUR_MS
  await proxy.send('items', { token })
  now += HOUR_MS

  const list = async () => {
    const path = `/v1/audit?action=proxy.used&subject=${proxy.accountId}`
    return expectOk(await proxy.call('GET', path)) as readonly Entry[]
  }
  await t.waitFor(async () => assert.equal((await list()).length, 3), { timeout: 30_000 })
  const entries = await list()
  const host = new URL(proxy.providerUrl).host
  assert.deepEqual(
    entries
      .map(({ actor, detail }) => [actor.tokenId === tokenId, detail])
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    [
      [false, { hour: hours[0], calls: 3, writes: 2, hosts: [host] }],
      [true, { hour: hours[0], calls: 1, writes: 0, hosts: [host] }],
      [true, { hour: hours[1], calls: 1, writes: 0, hosts: [host] }],
    ],
  )
  for (const { actor, outcome, subject, subjectType } of entries) {
    assert.deepEqual([actor.kind, actor.via, actor.ip], ['token', 'api', '127.0.0.1'])
    assert.deepEqual([outcome, subject, subjectType], ['done', proxy.accountId, 'account'])
  }
  assert.doesNotMatch(JSON.stringify(entries), /planted/)
})

interface Entry {
  readonly actor: Readonly<Record<'kind' | 'via' | 'ip' | 'tokenId', string>>
  readonly outcome: string
  readonly subject: string
  readonly subjectType: string
  readonly detail: unknown
}
