import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { AccountId } from '../../account.ts'
import { type CheckSimulation, startCheckSimulation } from './test/check-simulation.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The controls of these figures are planted defects (bench/mutants). `CHECK_ACCOUNTS=10000` takes some minutes. */
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
    const okAgoMs = (index: number) => (index * DAY_MS) / ACCOUNTS
    ids = await simulation.add(ACCOUNTS, { definitionId, okAgoMs })
    // 60 %, at all positions.
    inUse = ids.filter((_, index) => index % 5 < 3)
    idle = ids.filter((_, index) => index % 5 >= 3)
    await simulation.use(inUse)
  })
  afterEach(() => simulation.close())

  const use = () => simulation.useProxy(inUse)
  const countChecks = (of: readonly AccountId[]) => {
    const counted = new Set<string>(of)
    return simulation.provider.checks.filter(({ key }) => counted.has(key)).length
  }
  const countEnded = async () => (await simulation.countStatuses()).needs_reauth ?? 0

  it('needs at most one check per account and second, and none for accounts in use', async (t) => {
    await simulation.pass(DAY_MS, use, HOUR_MS)
    const times = simulation.provider.checks.map(({ at }) => at)
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? at))
    const [ofIdle, ofInUse] = [countChecks(idle), countChecks(inUse)]
    t.diagnostic(
      `${ofIdle} checks of ${idle.length} idle accounts, ${ofInUse} of ${inUse.length} in use; shortest wait ${Math.min(...waits)} ms`,
    )
    assert.equal(ofInUse, 0)
    assert.ok(ofIdle > idle.length / 2 && times.length <= ACCOUNTS)
    assert.ok(waits.every((waitMs) => waitMs >= 1_000))
  })

  it('changes at most five while the provider rejects all for an hour; all recover, and those revoked meanwhile are decided', async (t) => {
    // The last successes are 15 minutes old, and do not hide the outage.
    await simulation.pass(HOUR_MS, use, HOUR_MS / 4)
    simulation.provider.state = 'rejects'
    await simulation.pass(HOUR_MS, use, HOUR_MS / 3)
    const ended = await countEnded()
    const revoked = inUse.slice(0, Math.min(20, inUse.length / 4))
    for (const id of revoked) simulation.provider.revoked.add(id)
    simulation.provider.state = 'works'
    await simulation.pass(3 * HOUR_MS, use, HOUR_MS / 4)
    const statuses = await simulation.countStatuses()
    t.diagnostic(
      `${ended} accounts changed; 3 hours later ${statuses.needs_reauth ?? 0}, of which ${revoked.length} are revoked`,
    )
    assert.ok(ended <= 5)
    assert.deepEqual(statuses, {
      active: ids.length - revoked.length,
      needs_reauth: revoked.length,
    })
  })

  it('changes none while the provider is away for 12 hours', async (t) => {
    simulation.provider.state = 'away'
    await simulation.pass(12 * HOUR_MS)
    const [checks, ended] = [countChecks(ids), await countEnded()]
    t.diagnostic(`${checks} checks, ${ended} accounts changed`)
    assert.ok(checks > 0)
    assert.equal(ended, 0)
  })
}
