import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  parseAllowList,
  type Runner,
} from '../index.ts'

/** Values that a bundle computes while it loads. In Node, each differs from call to call. */
const EXPRESSIONS = {
  'crypto.randomBytes': "require('crypto').randomBytes(16).toString('hex')",
  'crypto.randomUUID': "require('crypto').randomUUID()",
  'crypto.randomInt': "require('node:crypto').randomInt(2 ** 40)",
  'crypto.getRandomValues': 'crypto.getRandomValues(new Uint32Array(4)).join()',
  'Math.random': 'Math.random()',
  'Date.now': 'Date.now()',
  'new Date': 'new Date().toISOString()',
  'Date as a function': '(Reflect.apply(Date, null, []), new Date().getTime())',
  'performance.now': 'performance.now()',
  'process.hrtime': 'process.hrtime.bigint().toString()',
  'process.uptime': 'process.uptime()',
  'new Intl.DateTimeFormat':
    "new Intl.DateTimeFormat('en-US', { fractionalSecondDigits: 3, second: 'numeric', minute: 'numeric' }).format()",
  'an event': "new Event('x').timeStamp",
}

describe('values that a bundle computes while it loads', () => {
  let egressGateway: EgressGateway
  let runner: Runner
  before(() => {
    egressGateway = createEgressGateway({ allow: parseAllowList('') })
    runner = createRunner({ egressGateway, children: 1, ...BUSY_MACHINE_OPTIONS })
  })
  after(async () => {
    await runner.close()
    await egressGateway.close()
  })

  const createBundle = (code: string) => ({
    sha256: createHash('sha256').update(code).digest('hex'),
    load: async () => code,
  })
  const callRepeatedly = async (code: string, count = 5) => {
    const values: unknown[] = []
    for (let call = 0; call < count; call++) {
      const tenant = { workspaceId: `workspace-${call}` }
      const bundle = createBundle(code)
      values.push((await runner.run({ bundle, tenant, command: 'SPEC', params: {} })).value)
      // Longer than the resolution of the coarsest clock.
      await sleep(3)
    }
    return values
  }
  const areDistinct = (values: readonly unknown[], message: string) =>
    assert.equal(new Set(values).size, values.length, `${message}: ${values.join(', ')}`)

  for (const [name, expression] of Object.entries(EXPRESSIONS))
    it(`differ in each call: ${name}`, async () => {
      areDistinct(
        await callRepeatedly(`const v = ${expression}; exports.main = async () => v`),
        name,
      )
    })

  /** Whether the results of two calls are reported as deterministic: the first loads the code, the other an image. */
  const areDeterministic = async (code: string) => {
    const bundle = createBundle(code)
    const tenant = { workspaceId: 'workspace' }
    const run = async () =>
      (await runner.run({ bundle, tenant, command: 'HEADERS', params: { key: 'k' } }))
        .isDeterministic
    const reported = [await run(), await run(), await run()]
    assert.equal(new Set(reported).size, 1, `${reported} for ${code}`)
    return reported[0]
  }

  for (const [name, expression] of Object.entries({
    ...EXPRESSIONS,
    setTimeout: 'setTimeout(() => {}, 1)',
    setImmediate: 'setImmediate(() => {})',
    'a timer that is cleared at once': 'clearTimeout(setTimeout(() => {}, 1))',
    'a request that is refused': "await fetch('http://10.0.0.1/').catch(() => {})",
    'a request that is aborted':
      "fetch('http://10.0.0.1/', { signal: AbortSignal.abort() }).catch(() => {}), await fetch('http://10.0.0.1/').catch(() => {})",
  }))
    it(`make a result not deterministic, in a call and while the bundle loads: ${name}`, async () => {
      assert.equal(
        await areDeterministic(`exports.main = async () => { ${expression}; return 1 }`),
        false,
      )
      if (name in EXPRESSIONS)
        assert.equal(
          await areDeterministic(`const v = ${expression}; exports.main = async () => 1`),
          false,
        )
    })

  it('leave a result deterministic that depends only on the parameters', async () => {
    const code = `const { createHmac } = require('crypto'); let count = 0
      exports.main = async (command, { key }) => {
        await null
        process.nextTick(() => count++)
        const signature = createHmac('sha256', key).update('x').digest('hex')
        return { signature, at: new Date(0).toISOString(), basic: Buffer.from(key).toString('base64') }
      }`
    assert.equal(await areDeterministic(code), true)
  })

  it('differ in each call when they are computed in a promise, or outside the function of the bundle', async () => {
    const later = `let v; Promise.resolve().then(() => { v = Math.random() }); exports.main = async () => v`
    areDistinct(await callRepeatedly(later), 'a promise')
    const outside = `}); globalThis.v = Date.now() + '-' + Math.random(); (function (exports, require, module) {
      module.exports = async () => v`
    areDistinct(await callRepeatedly(outside), 'outside')
  })

  it('differ in each call if they come from Math.random: each restored image gets a new seed', async () => {
    const code = `const { random } = Math; exports.main = async () => [random(), Math.random(), Date.now()].join()`
    areDistinct(await callRepeatedly(code), 'random')
  })

  it('are computed once, with the code of the bundle, if they need neither random bytes nor a clock', async () => {
    const code = `let count = 0; const at = new Date(2020, 1, 1).getTime(); count++
      exports.main = async () => [count, at, Date.UTC(2020, 1, 1), new Date(0).toISOString()]`
    const values = await callRepeatedly(code)
    assert.equal(new Set(values.map((value) => JSON.stringify(value))).size, 1)
  })

  it('are isolated: a change in one call is not visible in the next', async () => {
    const code = `const t = Date.now(); let count = 0; const table = [...'abc']
      exports.main = async () => { table.push(++count); globalThis.seen = (globalThis.seen ?? 0) + 1; return table.join('') + seen }`
    assert.deepEqual(await callRepeatedly(code), Array(5).fill('abc11'))
  })

  it('fail each call with the same message if loading fails', async () => {
    const code = `const t = Date.now(); if (t > 0) throw new TypeError('no ' + typeof t); exports.main = async () => 1`
    for (let call = 0; call < 4; call++)
      await assert.rejects(
        runner.run({
          bundle: createBundle(code),
          tenant: { workspaceId: 'workspace' },
          command: 'SPEC',
          params: {},
        }),
        /TypeError: no number/,
      )
  })
})
