import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type LifeCycleContext, listCases, runLifeCycle, startLifeCycles } from './life-cycle.ts'

/** What no integration of the catalogue should be in: why its life cycle cannot be completed, and the assertion that fails. */
const INCOMPLETE: Readonly<Record<string, { readonly why: string; readonly fails: RegExp }>> = {
  'lever, OAuth2 Sandbox': {
    why: 'A proxied request to its first documented URL is answered with 401: fixtures, evidence and entry are to be compared.',
    fails: /401 \{"code":"Unauthorized"/,
  },
}

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
    for (const name of Object.keys(INCOMPLETE)) assert.ok(expected.includes(name), name)
  })

  for (const one of cases) {
    const name = `${one.key}, ${one.authType}`
    const incomplete = INCOMPLETE[name]
    if (incomplete === undefined)
      it(`${name}: is connected, used, refreshed or revoked, reconnected and deleted`, () =>
        runLifeCycle(t, one))
    else
      it(`${name}: is not complete, because: ${incomplete.why}`, () =>
        assert.rejects(runLifeCycle(t, one), incomplete.fails))
  }
})
