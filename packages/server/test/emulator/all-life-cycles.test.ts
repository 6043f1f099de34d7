import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type LifeCycleContext, listCases, runLifeCycle, startLifeCycles } from './life-cycle.ts'

describe('The life cycle on the emulator', async () => {
  let t: LifeCycleContext
  before(async () => {
    t = await startLifeCycles()
  })
  after(() => t.close())

  for (const one of await listCases())
    it(`${one.key}, ${one.authType}`, async () => {
      await runLifeCycle(t, one)
    })
})
