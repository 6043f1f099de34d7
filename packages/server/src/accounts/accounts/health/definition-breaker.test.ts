import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../../test/test-context.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import type { AccountId } from '../account.ts'
import { createAccountUse, createAccountUseStore } from '../account-use-store.ts'
import {
  type CheckSimulation,
  startCheckSimulation,
} from '../token-refresh/checks/test/check-simulation.ts'
import { listSuspectTimes } from './definition-breaker-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describeOnBothDatabases('The circuit breaker of a definition', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let simulation: CheckSimulation
  let definitionId: DefinitionId

  before(async () => {
    simulation = await startCheckSimulation({ url: await newUrl() })
  })
  after(() => simulation.close())
  beforeEach(async () => {
    simulation.provider.state = 'works'
    const code = createMiniBundle()
    const definition = await simulation.context.t.createDefinition({ code })
    definitionId = definition.integrationDefinitionId as DefinitionId
  })

  const readStatuses = async (ids: readonly AccountId[]) => {
    const all = await Promise.all(ids.map((id) => simulation.readHealth(id)))
    return {
      ended: all.filter(({ status }) => status === 'needs_reauth').length,
      held: all.filter(({ isHeld }) => isHeld).length,
    }
  }
  const listEvents = async () =>
    (await simulation.listEvents())
      .filter(({ subject }) => subject === definitionId)
      .map(({ type }) => type)
      .filter((type) => type !== 'definition.created')
  const readHealth = async () =>
    expectOk(
      await simulation.context.t.call('GET', `/v1/integration_definition/${definitionId}/health`),
    )
  const trust = (options: object = {}) =>
    simulation.context.t.call('POST', `/v1/integration_definition/${definitionId}/trust`, options)

  it('changes at most five accounts while a provider rejects everyone for an hour; all recover, and those that are really revoked are decided', async () => {
    const ids = await simulation.add(40, {
      definitionId,
      okAgoMs: (index) => index * 30 * MINUTE_MS,
    })
    const inUse = ids.slice(0, 24)
    const each = () => simulation.useProxy(inUse)
    await simulation.pass(HOUR_MS, each)
    simulation.provider.state = 'rejects'
    await simulation.pass(HOUR_MS, each)
    const during = await readStatuses(ids)
    assert.ok(during.ended <= 5, `${during.ended} accounts were changed`)
    assert.equal((await readHealth()).state, 'suspect')
    const revoked = [...ids.slice(0, 2), ...ids.slice(30, 32)]
    for (const id of revoked) simulation.provider.revoked.add(id)
    simulation.provider.state = 'works'
    await simulation.pass(3 * HOUR_MS, each)
    assert.deepEqual(await listEvents(), ['definition.suspect', 'definition.trusted'])
    const { state, held } = await readHealth()
    assert.deepEqual([state, held], ['trusted', 0])
    await simulation.pass(27 * HOUR_MS, each)
    assert.deepEqual(await readStatuses(ids), { ended: revoked.length, held: 0 })
    for (const id of revoked) assert.equal((await simulation.readHealth(id)).status, 'needs_reauth')
  })

  it('decides each account alone while others are accepted', async () => {
    const ids = await simulation.add(32, { definitionId, okAgoMs: () => 20 * MINUTE_MS })
    const revoked = ids.slice(0, 5)
    for (const id of revoked) simulation.provider.revoked.add(id)
    await simulation.useProxy(revoked.slice(0, 1))
    await simulation.pass(MINUTE_MS)
    await simulation.useProxy(ids.slice(5))
    await simulation.useProxy(revoked)
    assert.deepEqual(await readStatuses(ids), { ended: 5, held: 0 })
    assert.deepEqual(await listEvents(), [])
  })

  it('does not believe successes from before an outage', async () => {
    const ids = await simulation.add(32, { definitionId })
    await simulation.useProxy(ids)
    await simulation.pass(1_000)
    simulation.provider.state = 'rejects'
    await simulation.useProxy(ids)
    const { ended, held } = await readStatuses(ids)
    // Those that made it suspect are checked again, too.
    assert.deepEqual([ended, held], [4, 32])
  })

  it('POST …/trust: held accounts are checked and decided alone; a repeated call changes nothing', async () => {
    const ids = await simulation.add(9, { definitionId })
    for (const id of ids) simulation.provider.revoked.add(id)
    await simulation.useProxy(ids)
    const { state, held, since } = await readHealth()
    assert.deepEqual([state, held], ['suspect', 9])
    assert.ok(Math.abs(Date.parse(since) - simulation.now()) < MINUTE_MS)
    const path = '/v1/integration_account/count'
    const count = expectOk(await simulation.context.t.call('GET', path)).byDefinition.find(
      (each: { integrationDefinitionId: string }) => each.integrationDefinitionId === definitionId,
    )
    assert.equal(count.isSuspect, true)
    const trusted = expectOk(await trust())
    assert.deepEqual([trusted.state, trusted.since], ['trusted', null])
    assert.deepEqual(expectOk(await trust()), trusted)
    await simulation.pass(5 * MINUTE_MS)
    assert.deepEqual(await readStatuses(ids), { ended: 9, held: 0 })
    assert.deepEqual(await listEvents(), ['definition.suspect', 'definition.trusted'])
  })

  it('ends at the next round after three accounts in use were accepted, even if that was noted shortly before, too', async () => {
    const ids = await simulation.add(10, { definitionId })
    const { database } = simulation.context.t
    const success = createAccountUse({
      now: simulation.now,
      write: createAccountUseStore(database).writeSuccess,
      readSuspects: () => listSuspectTimes(database.read),
    })
    const noteAll = async () => {
      for (const id of ids.slice(7)) success.add(id, definitionId)
      await success.stop()
    }
    await simulation.pass(1_000)
    await noteAll()
    await simulation.pass(MINUTE_MS)
    simulation.provider.state = 'rejects'
    await simulation.useProxy(ids.slice(0, 7))
    await noteAll()
    assert.equal((await readHealth()).state, 'suspect')
    simulation.provider.state = 'works'
    await simulation.pass(1_000)
    await noteAll()
    await simulation.pass(2 * MINUTE_MS)
    assert.equal((await readHealth()).state, 'trusted')
    assert.deepEqual(await listEvents(), ['definition.suspect', 'definition.trusted'])
  })

  it('trusts a definition that was suspect for a day', async () => {
    const ids = await simulation.add(7, { definitionId })
    for (const id of ids) simulation.provider.revoked.add(id)
    await simulation.useProxy(ids)
    await simulation.pass(23 * HOUR_MS)
    assert.equal((await readHealth()).state, 'suspect')
    await simulation.pass(2 * HOUR_MS)
    assert.deepEqual(await readStatuses(ids), { ended: 7, held: 0 })
  })

  it('notices an outage that shows in several workspaces, and tells each', async () => {
    await simulation.share(definitionId)
    const { t } = simulation.context
    const others: WorkspaceId[] = []
    for (let index = 0; index < 3; index += 1)
      others.push(expectCreated(await t.call('POST', '/v1/workspace', { body: {} })).workspaceId)
    const all: AccountId[] = []
    for (const workspaceId of [t.workspaceId as WorkspaceId, ...others])
      all.push(...(await simulation.add(2, { definitionId, workspaceId })))
    simulation.provider.state = 'rejects'
    await simulation.useProxy(all)
    const { ended, held } = await readStatuses(all)
    assert.deepEqual([ended, held], [4, 8])
    const told = (await listEvents()).filter((type) => type === 'definition.suspect').length
    assert.equal(told, 4)
    simulation.provider.state = 'works'
    await simulation.pass(2 * HOUR_MS)
    assert.deepEqual(await readStatuses(all), { ended: 0, held: 0 })
    assert.equal((await listEvents()).filter((type) => type === 'definition.trusted').length, 4)
  })

  it('GET …/health and POST …/trust: 404 for an unknown definition', async () => {
    const { t } = simulation.context
    for (const [method, path] of [
      ['GET', 'health'],
      ['POST', 'trust'],
    ] as const)
      expectError(
        await t.call(method, `/v1/integration_definition/nothing/${path}`),
        'integration_definition_not_found',
      )
  })
}
