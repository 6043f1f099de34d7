import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectOk } from '../../../test/test-context.ts'
import { createAccountUseStore } from '../../accounts/accounts/account-use-store.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import type { Id } from '../../platform/storage/id.ts'
import { type AccountError, createAccountErrors } from './account-errors.ts'

describeOnBothDatabases('The last error of an account', (newUrl) => {
  let t: ProxyTestContext
  let now = Date.now()
  before(async () => {
    t = await startProxyTestContext({
      url: await newUrl(),
      now: () => now,
      spec: { 'x-auth-errors': [{ status: 200, match: { ok: false } }] },
      proxyLimits: { totalMs: 30_000, idleMs: 1_000, maxBytes: 1e6 },
    })
  })
  after(() => t.close())

  async function read() {
    await t.accountErrors.flush()
    const { lastErrorAt, lastErrorCode } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}/health`),
    )
    return { at: lastErrorAt === null ? null : Date.parse(lastErrorAt), code: lastErrorCode }
  }

  it('is null until a request fails, and not every 4xx is one', async () => {
    for (const status of [200, 304, 404, 422]) {
      t.setProviderHandler((_request, response) => response.writeHead(status).end())
      await t.send('items')
    }
    assert.deepEqual(await read(), { at: null, code: null })
  })

  it('has the time and the code of what the provider answered, or why it did not', async () => {
    const statuses = [
      [401, 'provider_unauthorized'],
      [403, 'provider_forbidden'],
      [429, 'provider_rate_limited'],
      [500, 'provider_error'],
    ] as const
    for (const [status, code] of statuses) {
      now += 1_000
      t.setProviderHandler((_request, response) => response.writeHead(status).end())
      await t.send('items')
      assert.deepEqual(await read(), { at: now, code })
    }
    now += 1_000
    t.setProviderHandler((_request, response) => response.destroy())
    await t.send('items')
    assert.deepEqual(await read(), { at: now, code: 'provider_unreachable' })
  })

  it('is also a response that the spec declares as one to invalid credentials', async () => {
    now += 1_000
    t.setProviderHandler((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":false}'),
    )
    await t.send('items')
    assert.deepEqual(await read(), { at: now, code: 'provider_unauthorized' })
  })

  it('of two nodes, is the later one, whichever writes first', async () => {
    const { writeErrors } = createAccountUseStore(t.database)
    const accountId = t.accountId as Id<'acc'>
    now += 60_000
    await writeErrors([{ accountId, at: now, code: 'provider_timeout' }])
    await writeErrors([{ accountId, at: now - 1, code: 'provider_error' }])
    assert.deepEqual(await read(), { at: now, code: 'provider_timeout' })
  })

  it('leaves with the account, and no node stores one afterwards', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const account = await t.createAccount(integrationDefinitionId)
    const accountId = account.integrationAccountId as Id<'acc'>
    const { writeErrors } = createAccountUseStore(t.database)
    await writeErrors([{ accountId, at: now, code: 'provider_error' }])
    const path = `/v1/integration_account/${accountId}`
    assert.equal(expectOk(await t.call('GET', `${path}/health`)).lastErrorCode, 'provider_error')
    expectOk(await t.call('DELETE', path))
    await writeErrors([{ accountId, at: now + 1, code: 'provider_error' }])
    const { lastErrorAt, lastErrorCode } = expectOk(await t.call('GET', `${path}/health`))
    assert.deepEqual([lastErrorAt, lastErrorCode], [null, null])
  })
})

describe('createAccountErrors', () => {
  it('writes the same error of an account once a minute, another one at once', async () => {
    let now = 1_000_000
    const written: (readonly AccountError[])[] = []
    const errors = createAccountErrors({
      now: () => now,
      write: async (batch) => void written.push(batch),
      flushIntervalMs: 2 ** 30,
    })
    for (let index = 0; index < 10_000; index += 1)
      errors.add(`acc_${index % 150}`, 'provider_error')
    await errors.flush()
    assert.deepEqual(
      written.splice(0).map(({ length }) => length),
      [100, 50],
    )
    errors.add('acc_1', 'provider_error')
    await errors.flush()
    assert.equal(written.length, 0)
    errors.add('acc_1', 'provider_forbidden')
    await errors.flush()
    now += 60_000
    errors.add('acc_1', 'provider_forbidden')
    await errors.stop()
    assert.deepEqual(written.flat(), [
      { accountId: 'acc_1', at: now - 60_000, code: 'provider_forbidden' },
      { accountId: 'acc_1', at: now, code: 'provider_forbidden' },
    ])
  })

  it('tries a failed write again, unless there is a newer error, and stays bounded', async () => {
    let failures = 1
    const written: AccountError[] = []
    const errors = createAccountErrors({
      now: () => 1,
      write: async (batch) => {
        if (failures-- > 0) throw new Error('the database is away')
        written.push(...batch)
      },
      flushIntervalMs: 2 ** 30,
      maxAccounts: 10,
    })
    for (let index = 0; index < 20; index += 1) errors.add(`acc_${index}`, 'provider_error')
    await errors.flush()
    errors.add('acc_3', 'provider_timeout')
    await errors.stop()
    assert.equal(written.length, 10)
    assert.equal(written.find((each) => each.accountId === 'acc_3')?.code, 'provider_timeout')
  })
})
