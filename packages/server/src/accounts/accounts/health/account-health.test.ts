import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectError, expectOk } from '../../../../test/test-context.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { toTimestamp } from '../../../platform/http/schema.ts'
import type { AccountId } from '../account.ts'
import { findHealth } from '../token-refresh/checks/check-store.ts'
import {
  type CheckSimulation,
  startCheckSimulation,
} from '../token-refresh/checks/test/check-simulation.ts'
import { createHealthFill } from './health-fill-store.ts'

const DAY_MS = 24 * 3_600_000

describeOnBothDatabases('The health of accounts', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let simulation: CheckSimulation
  let definitionId: DefinitionId
  /** What IDENTITY returns. */
  let user: object = {}

  before(async () => {
    simulation = await startCheckSimulation({ url: await newUrl() })
    const { t } = simulation.context
    t.stubServer.serve('/me', (_request, response) => response.end(JSON.stringify(user)))
    definitionId = await define(createMiniBundle())
  })
  after(() => simulation.close())

  const define = async (code: string) =>
    (await simulation.context.t.createDefinition({ code })).integrationDefinitionId as DefinitionId
  const list = async (query: string): Promise<string[]> =>
    expectOk(await simulation.context.t.call('GET', `/v1/integration_account?${query}`)).map(
      ({ integrationAccountId }: { integrationAccountId: string }) => integrationAccountId,
    )

  it('GET /v1/integration_account: 200 with those not accepted since a time, or never', async () => {
    const ids = await simulation.add(5, { definitionId, okAgoMs: (index) => index * DAY_MS })
    const { database } = simulation.context.t
    await database.transaction((trx) =>
      trx
        .updateTable('account_health')
        .set({ last_ok_at: null })
        .where('account_id', '=', ids[0] as AccountId)
        .execute(),
    )
    const time = toTimestamp(simulation.now() - 2.5 * DAY_MS)
    const query = `lastOkBefore=${time}&integrationDefinitionId=${definitionId}`
    assert.deepEqual(new Set(await list(query)), new Set([ids[0], ids[3], ids[4]]))
    assert.equal((await list(`${query}&limit=2`)).length, 2)
    assert.deepEqual(await list(`${query}&status=deleted`), [])
    expectError(
      await simulation.context.t.call('GET', '/v1/integration_account?lastOkBefore=yesterday'),
      'invalid_parameter',
    )
  })

  it('GET /v1/integration_account: 200 with those of one user of the provider', async () => {
    const [id] = (await simulation.add(2, { definitionId })) as [AccountId]
    await simulation.context.change(id, { identity_id: 'user-1' })
    assert.deepEqual(await list('identityId=user-1'), [id])
    assert.deepEqual(await list('identityId=user-2'), [])
    assert.deepEqual(await list(`identityId=user-1&integrationDefinitionId=${definitionId}`), [id])
  })

  it('is added to accounts that a version without it has written, with what that version noted', async () => {
    const { database } = simulation.context.t
    const ids = (await simulation.add(3, { definitionId })) as [AccountId, AccountId, AccountId]
    await database.transaction(async (trx) => {
      await trx.deleteFrom('account_health').where('account_id', 'in', ids).execute()
      await trx
        .updateTable('accounts')
        .set({ last_ok_at: 7, checked_at: 5 })
        .where('account_id', '=', ids[0])
        .execute()
    })
    expectOk(await simulation.context.t.call('DELETE', `/v1/integration_account/${ids[2]}`))
    await createHealthFill(database, simulation.now)()
    const { lastOkAt, checkedAt } = await findHealth(database.read, ids[0])
    assert.deepEqual([lastOkAt, checkedAt], [7, 5])
    const rows = await database.read
      .selectFrom('account_health')
      .select('account_id')
      .where('account_id', 'in', ids)
      .execute()
    assert.deepEqual(new Set(rows.map((row) => row.account_id)), new Set(ids.slice(0, 2)))
  })

  it('includes the user: another one is stored and published 30 days later, without a check of an account in use', async () => {
    const code = createMiniBundle(MINI_SPEC).replace(
      "if (command !== 'CHECK')",
      "if (command === 'IDENTITY') return (await fetch(params.config.base_url + '/me')).json()\n  if (command !== 'CHECK')",
    )
    const own = await define(code)
    const [id] = (await simulation.add(1, { definitionId: own })) as [AccountId]
    await simulation.context.change(id, { identity_id: 'u1', identity_label: 'ada@old.example' })
    user = { id: 'u1', label: 'ada@new.example' }
    simulation.provider.checks.length = 0
    await simulation.pass(29 * DAY_MS, () => simulation.use([id]), DAY_MS / 4)
    assert.equal((await simulation.context.row(id)).identity_label, 'ada@old.example')
    await simulation.pass(3 * DAY_MS, () => simulation.use([id]), DAY_MS / 4)
    assert.equal((await simulation.context.row(id)).identity_label, 'ada@new.example')
    assert.ok(!simulation.provider.checks.some(({ key }) => key === id))
    const events = expectOk(
      await simulation.context.t.call('GET', `/v1/event?subject=${id}&wait=5`),
    )
    const [event] = events.filter(({ type }: { type: string }) => type === 'account.updated')
    assert.deepEqual(event.data.changed, ['identity'])
    assert.deepEqual(event.data.previous, { identity: { id: 'u1', label: 'ada@old.example' } })
    assert.equal(event.data.account.identity.label, 'ada@new.example')
  })
}
