import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type LifeCycleContext, listCases, runLifeCycle, startLifeCycles } from './life-cycle.ts'

describe('Every integration on the emulator', async () => {
  const cases = await listCases()
  let t: LifeCycleContext
  before(async () => {
    t = await startLifeCycles()
  })
  after(() => t.close())

  it('has a provider for each authentication method', () => {
    assert.ok(cases.length >= 364, `${cases.length} authentication methods`)
    const emulated = t.providers.flatMap(({ key, methods }) =>
      Object.keys(methods).map((authType) => `${key}, ${authType}`),
    )
    const expected = cases.map(({ key, authType }) => `${key}, ${authType}`)
    assert.deepEqual(emulated.toSorted(), expected.toSorted())
  })

  for (const one of cases)
    it(`${one.key}, ${one.authType}: is connected, used, refreshed or revoked, reconnected and deleted`, () =>
      runLifeCycle(t, one))
})
