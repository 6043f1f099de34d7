import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createEgressGateway } from '../index.ts'
import { Pool } from './pool.ts'

it('ChildSupervisor: starts each missing child once a second while that fails, not twice as many each time', async (t) => {
  const thirdSecond = Promise.withResolvers<number>()
  let failures = 0
  const log = (_level: string, message: string) => {
    assert.equal(message, 'a runner child could not be started')
    failures++
    // The first starts alone, then all four: the sixth failure begins the third second.
    if (failures === 6) setImmediate(() => thirdSecond.resolve(failures))
  }
  const egressGateway = createEgressGateway({ allow: [] })
  // spawn() throws if an argument contains a NUL.
  const files = { main: '\0', guest: '', readable: [] }
  const pool = new Pool(4, { egressGateway, log, children: 4 }, files)
  t.after(() => pool.close())
  assert.equal(await thirdSecond.promise, 9)
})
