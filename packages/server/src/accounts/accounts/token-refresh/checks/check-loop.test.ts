import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { AccountId } from '../../account.ts'
import { type CheckSimulation, startCheckSimulation } from './test/check-simulation.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describeOnBothDatabases('The check loop', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let simulation: CheckSimulation

  before(async () => {
    simulation = await startCheckSimulation({ url: await newUrl(), nodes: 2 })
  })
  after(() => simulation.close())

  const define = async (spec: object = {}) => {
    const code = createMiniBundle({ ...MINI_SPEC, ...spec })
    const { integrationDefinitionId } = await simulation.context.t.createDefinition({ code })
    return integrationDefinitionId as DefinitionId
  }
  const countChecks = (ids: readonly AccountId[]) =>
    simulation.provider.checks.filter(({ key }) => ids.includes(key as AccountId)).length

  it('checks what no use has proven for a day, ±25 %, once', async () => {
    const ids = await simulation.add(10, { definitionId: await define() })
    await simulation.pass(17 * HOUR_MS)
    assert.equal(countChecks(ids), 0)
    await simulation.pass(14 * HOUR_MS)
    assert.equal(countChecks(ids), 10)
    const { lastOkAt, checkedAt, checkAt, rejections } = await simulation.readHealth(
      ids[0] as AccountId,
    )
    assert.equal(lastOkAt, checkedAt)
    assert.equal(rejections, 0)
    assert.ok((checkAt ?? 0) > simulation.now())
  })

  it('never checks what use has just proven', async () => {
    const ids = await simulation.add(5, { definitionId: await define() })
    await simulation.pass(48 * HOUR_MS, () => simulation.use(ids), HOUR_MS)
    assert.equal(countChecks(ids), 0)
  })

  it('decides with the second rejection, 5 to 15 minutes after the first', async () => {
    const [id] = (await simulation.add(1, { definitionId: await define() })) as [AccountId]
    simulation.provider.revoked.add(id)
    await simulation.pass(32 * HOUR_MS)
    assert.equal((await simulation.readHealth(id)).status, 'needs_reauth')
    const times = simulation.provider.checks.filter(({ key }) => key === id).map(({ at }) => at)
    assert.equal(times.length, 2)
    const waitMs = (times[1] ?? 0) - (times[0] ?? 0)
    assert.ok(waitMs >= 5 * MINUTE_MS && waitMs <= 15 * MINUTE_MS + 20_000, `${waitMs} ms`)
  })

  it('notices within 40 minutes that a provider has really revoked, if the integration is checked every 15 minutes', async () => {
    const definitionId = await define({ 'x-check-interval': 900 })
    const [id] = (await simulation.add(1, { definitionId })) as [AccountId]
    await simulation.pass(MINUTE_MS)
    simulation.provider.revoked.add(id)
    await simulation.pass(40 * MINUTE_MS)
    assert.equal((await simulation.readHealth(id)).status, 'needs_reauth')
  })

  it('never checks an integration with x-check-interval 0', async () => {
    const ids = await simulation.add(3, { definitionId: await define({ 'x-check-interval': 0 }) })
    await simulation.pass(72 * HOUR_MS)
    assert.equal(countChecks(ids), 0)
  })

  it('backs off from a provider that is away, and ends no connection', async () => {
    const [id] = (await simulation.add(1, { definitionId: await define() })) as [AccountId]
    simulation.provider.state = 'away'
    await simulation.pass(42 * HOUR_MS)
    simulation.provider.state = 'works'
    const { status, failures, rejections } = await simulation.readHealth(id)
    assert.deepEqual([status, rejections], ['active', 0])
    assert.ok(failures >= 5 && failures <= 15, `${failures} failures`)
    await simulation.pass(8 * HOUR_MS)
    assert.equal((await simulation.readHealth(id)).failures, 0)
  })

  it('sends no checks for as long as the provider asks with Retry-After', async () => {
    const long = { definitionId: await define(), okAgoMs: () => 100 * HOUR_MS }
    const ids = await simulation.add(5, long)
    simulation.provider.state = 'away'
    simulation.provider.retryAfter = 3 * 3_600
    await simulation.pass(170 * MINUTE_MS)
    simulation.provider.state = 'works'
    delete simulation.provider.retryAfter
    assert.ok(countChecks(ids) <= 2, `${countChecks(ids)} checks`)
    await simulation.pass(HOUR_MS)
    for (const id of ids) assert.equal((await simulation.readHealth(id)).failures, 0)
    assert.ok(countChecks(ids) >= 5)
  })

  it('checks one account of a definition per second on all nodes, and each workspace in turn', async () => {
    const { context } = simulation
    const definitionId = await define()
    await simulation.share(definitionId)
    const long = { definitionId, okAgoMs: () => 100 * HOUR_MS }
    const many = await simulation.add(40, long)
    const { workspaceId } = (await context.t.call('POST', '/v1/workspace', { body: {} })).body
    const few = await simulation.add(1, { ...long, workspaceId })
    const { checks } = simulation.provider
    checks.length = 0
    await simulation.pass(2 * MINUTE_MS)
    assert.equal(countChecks([...many, ...few]), 41)
    const times = checks.map(({ at }) => at)
    for (const [index, at] of times.entries())
      if (index > 0) assert.ok(at - (times[index - 1] ?? 0) >= 1_000, 'faster than one per second')
    const position = checks.findIndex(({ key }) => key === few[0])
    assert.ok(position <= 2, `the only account of a workspace was check ${position}`)
  })
}
