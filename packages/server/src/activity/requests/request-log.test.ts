import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createRequestLog,
  maskPath,
  type RequestEntry,
  type RequestLog,
  type WeightedEntry,
} from './request-log.ts'

const ENTRY: RequestEntry = {
  at: 0,
  kind: 'api',
  operation: 'getAccount',
  method: 'GET',
  host: null,
  path: '/v1/integration_account/:integrationAccountId',
  status: 200,
  code: null,
  durationMs: 1,
  requestId: null,
  workspaceId: null,
  accountId: null,
  definitionId: null,
  tokenId: null,
  userId: null,
  via: null,
}
const FAILURE = { ...ENTRY, status: 500 }

const add = (log: RequestLog, entry: RequestEntry, tenant: string) =>
  log.add(tenant, entry, () => entry)

function start({ mode = 'all' }: { mode?: 'all' | 'errors' | 'off' } = {}) {
  const state = { written: [] as WeightedEntry[], isDown: false }
  const log = createRequestLog({
    mode,
    flushIntervalMs: 2 ** 30,
    async write(entries) {
      if (state.isDown) throw new Error('down')
      state.written.push(...entries)
    },
  })
  const sum = (isWanted: (entry: RequestEntry) => boolean = () => true) =>
    state.written
      .filter(({ entry }) => isWanted(entry))
      .reduce((total, { represents }) => total + represents, 0)
  return { log, state, sum }
}

describe('The request log in memory', () => {
  it('keeps 20 successes and 100 failures of a flood, which stand for all of them, and everything of the other tenant', async () => {
    const { log, state, sum } = start()
    for (let index = 0; index < 10_000; index += 1) add(log, { ...ENTRY, at: index }, 'flood')
    for (let index = 0; index < 1_003; index += 1) add(log, FAILURE, 'flood')
    for (let index = 0; index < 15; index += 1) add(log, { ...ENTRY, method: 'PUT' }, 'other')
    await log.flush()
    assert.equal(state.written.length, 20 + 100 + 15)
    assert.equal(sum(), 10_000 + 1_003 + 15)
    assert.equal(
      sum(({ status }) => status === 500),
      1_003,
    )
    assert.deepEqual(
      state.written.filter(({ entry }) => entry.method === 'PUT').map((each) => each.represents),
      Array.from({ length: 15 }, () => 1),
    )
    assert.deepEqual(log.counts, { stored: 135, sampled: 11_018 - 135, dropped: 0 })
  })

  it('chooses among all requests of the second, not the first ones', async () => {
    const { log, state } = start()
    for (let index = 0; index < 10_000; index += 1) add(log, { ...ENTRY, at: index }, 'flood')
    await log.flush()
    assert.ok(state.written.some(({ entry }) => entry.at > 5_000))
  })

  it('stores at most 1,000 rows at once, of each of 500 tenants, and a failure for failures only', async () => {
    const { log, state, sum } = start()
    for (let index = 0; index < 700; index += 1) {
      for (let count = 0; count < 30; count += 1) add(log, ENTRY, `tenant ${index}`)
      for (let count = 0; count < 7; count += 1) add(log, FAILURE, `tenant ${index}`)
    }
    await log.flush()
    assert.equal(state.written.length, 1_000)
    assert.equal(
      sum(({ status }) => status === 500),
      500 * 7,
    )
    await log.flush()
    assert.equal(sum(), 700 * 37)
  })

  it('takes bounded memory: of more than 5,000 tenants within a second, the others are counted as dropped', async () => {
    const { log, sum } = start()
    for (let index = 0; index < 6_000; index += 1) add(log, ENTRY, `tenant ${index}`)
    await log.stop()
    assert.equal(sum(), 5_000)
    assert.equal(log.counts.dropped, 1_000)
  })

  it('survives a database that is away, and then says how many requests each row stands for', async () => {
    const { log, state, sum } = start()
    state.isDown = true
    for (let second = 0; second < 5; second += 1) {
      for (let index = 0; index < 100; index += 1) add(log, { ...ENTRY, at: second }, 'flood')
      for (let index = 0; index < 3; index += 1) add(log, FAILURE, 'flood')
      add(log, ENTRY, `tenant of second ${second}`)
      await log.flush()
    }
    state.isDown = false
    await log.flush()
    assert.equal(sum(), 5 * 104)
    assert.equal(state.written.length, 20 + 15 + 5)
    assert.ok(new Set(state.written.map(({ entry }) => entry.at)).size >= 4)
  })

  it('records failures only with LINCHPIN_REQUEST_LOG=errors, and nothing with off', async () => {
    for (const [mode, count] of [
      ['errors', 2],
      ['off', 0],
    ] as const) {
      const { log, state } = start({ mode })
      for (const status of [200, 302, 404, null]) add(log, { ...ENTRY, status }, 'tenant')
      await log.flush()
      assert.equal(state.written.length, count)
    }
  })
})

describe('The path of a request to a provider', () => {
  it('has • for every segment that may be secret or personal', () => {
    for (const [path, masked] of [
      ['/crm/v3/objects/contacts/12345', '/crm/v3/objects/contacts/12345'],
      ['/', '/'],
      ['/users/ada@east.example/posts', '/users/•/posts'],
      ['/users/ada%40east.example', '/users/•'],
      ['/bot123456:AAH-abcdefghijklmnopqrstuv/getMe', '/•/getMe'],
      ['/v1/sk_live_4eC39HqLyjWD', '/v1/•'],
      ['/a/0123456789abcdef', '/a/•'],
      ['/drive;key=secret/x', '/•/x'],
      ['/messages:batchGet', '/messages:batchGet'],
      ['/a/b c/ü', '/a/•/•'],
      [`/${'x'.repeat(25)}/${'y'.repeat(24)}`, `/•/${'y'.repeat(24)}`],
      ['/1/2/3/4/5/6/7/8/9/10/11/12/13/14', '/1/2/3/4/5/6/7/8/9/10/11/12/•'],
    ] as const)
      assert.equal(maskPath(path), masked)
  })

  it('has • for a segment that a header of the request contains', () => {
    assert.equal(maskPath('/orgs/hunter2!/x', ['Bearer hunter2!']), '/orgs/•/x')
    assert.equal(maskPath('/orgs/hunter2/x', ['Bearer hunter2']), '/orgs/•/x')
    assert.equal(maskPath('/orgs/a1b2/x', ['Bearer a1b2']), '/orgs/a1b2/x')
  })
})
