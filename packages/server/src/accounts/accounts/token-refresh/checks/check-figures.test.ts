import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { AccountId } from '../../account.ts'
import { type CheckSimulation, startCheckSimulation } from './test/check-simulation.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Each figure has a control, which shows that the simulation could fail. `CHECK_ACCOUNTS=10000` takes some minutes. */
const ACCOUNTS = Number(process.env.CHECK_ACCOUNTS ?? 60)

describeOnBothDatabases(`A day of ${ACCOUNTS} accounts on three nodes`, defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let simulation: CheckSimulation
  let definitionId: DefinitionId
  let ids: AccountId[]
  let inUse: AccountId[]
  let idle: AccountId[]

  beforeEach(async () => {
    simulation = await startCheckSimulation({ url: await newUrl(), nodes: 3 })
    const definition = await simulation.context.t.createDefinition({ code: createMiniBundle() })
    definitionId = definition.integrationDefinitionId as DefinitionId
    const dayMs = 24 * HOUR_MS
    const okAgoMs = (index: number) => (index * dayMs) / ACCOUNTS
    ids = await simulation.add(ACCOUNTS, { definitionId, okAgoMs })
    // 60 %, at all positions.
    inUse = ids.filter((_, index) => index % 5 < 3)
    idle = ids.filter((_, index) => index % 5 >= 3)
    await simulation.use(inUse)
  })
  afterEach(() => simulation.close())

  const useAll = async () => {
    for (const id of inUse) await simulation.useProxy(id)
  }
  const countChecks = (of: readonly AccountId[]) => {
    const wanted = new Set<string>(of)
    return simulation.provider.checks.filter(({ key }) => wanted.has(key)).length
  }
  const countEnded = async () => (await simulation.countStatuses()).needs_reauth ?? 0
  /** A breaker that trusts everything that is still to come never opens. */
  const turnBreakerOff = () =>
    simulation.context.t.database.transaction((trx) =>
      trx
        .insertInto('definition_health')
        .values(
          (['', simulation.context.t.workspaceId] as const).map((workspace_id) => ({
            definition_id: definitionId,
            workspace_id: workspace_id as '',
            suspects: '[]',
            trusted_at: Number.MAX_SAFE_INTEGER,
          })),
        )
        .execute(),
    )

  it('needs at most one check per account and second, and none for accounts in use', async () => {
    await simulation.pass(24 * HOUR_MS, () => simulation.use(inUse), HOUR_MS)
    const { checks } = simulation.provider
    assert.equal(countChecks(inUse), 0)
    assert.ok(countChecks(idle) > idle.length / 2 && countChecks(idle) <= 2 * idle.length)
    assert.ok(checks.length <= ACCOUNTS, `${checks.length} checks`)
    const times = checks.map(({ at }) => at)
    assert.ok(times.every((at, index) => index === 0 || at - (times[index - 1] ?? 0) >= 1_000))
  })

  it('control: without the uses, accounts in use are checked', async () => {
    await simulation.pass(32 * HOUR_MS)
    assert.ok(countChecks(inUse) >= inUse.length)
  })

  it('changes at most five while the provider rejects all for an hour; all recover, and those revoked meanwhile are decided', async () => {
    await simulation.pass(HOUR_MS, useAll, HOUR_MS / 2)
    simulation.provider.state = 'rejects'
    await simulation.pass(HOUR_MS, useAll, HOUR_MS / 4)
    assert.ok((await countEnded()) <= 5, `${await countEnded()} accounts changed`)
    const revoked = inUse.slice(0, Math.min(20, inUse.length / 4))
    for (const id of revoked) simulation.provider.revoked.add(id)
    simulation.provider.state = 'works'
    await simulation.pass(3 * HOUR_MS, useAll, HOUR_MS / 4)
    assert.deepEqual(await simulation.countStatuses(), {
      active: ids.length - revoked.length,
      needs_reauth: revoked.length,
    })
  })

  it('control: without the breaker, an hour of rejections changes every account that is used', async () => {
    await turnBreakerOff()
    simulation.provider.state = 'rejects'
    await simulation.pass(HOUR_MS, useAll, HOUR_MS / 4)
    assert.ok((await countEnded()) >= inUse.length)
  })

  it('changes none while the provider is away for 12 hours', async () => {
    simulation.provider.state = 'away'
    await simulation.pass(12 * HOUR_MS)
    assert.ok(countChecks(ids) > 0)
    assert.equal(await countEnded(), 0)
  })

  it('control: with rejections instead, and without the breaker, 12 hours change accounts', async () => {
    await turnBreakerOff()
    simulation.provider.state = 'rejects'
    await simulation.pass(12 * HOUR_MS)
    assert.ok((await countEnded()) > 0)
  })
}
