import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Runner } from '../../src/index.ts'
import {
  createBundle,
  describeHostileCases,
  expectResult,
  startTestRunner,
  wrapInMain,
} from './harness.ts'

const TENANT = { workspaceId: 'workspace' }

const globalMutations = [
  'Object.prototype.stain = 1',
  'Array.prototype.map = () => "stained"',
  'JSON.parse = () => ({ said: "stained" })',
  'JSON.stringify = () => "\\"stained\\""',
  'Promise.prototype.then = () => { throw new Error("stained") }',
  'globalThis.Promise = class {}',
  'Function.prototype.call = Function.prototype.apply = () => "stained"',
  'Object.defineProperty(globalThis, "stain", { value: 1, configurable: false })',
  'Object.freeze(Object.prototype); Object.freeze(Array.prototype)',
  'globalThis.setTimeout = undefined; globalThis.Buffer = undefined',
  'require("http").request = () => { throw new Error("stained") }',
  'String.prototype.toString = Symbol.prototype.toString = () => "stained"',
  'Object.defineProperty(Object.prototype, "then", { get() { throw new Error("stained") } })',
  'Object.prototype.toJSON = () => "stained"',
]

describeHostileCases(
  'a bundle that changes the globals',
  globalMutations.map((mutation) => ({
    name: `stays in its call: ${mutation}`,
    code: wrapInMain(`${mutation}; return undefined`),
    limits: { cpuMs: 300, wallMs: 600 },
    // The outcome of the hostile call itself does not matter; the calls around it must be clean.
    expect: 'anything',
  })),
)

describe('one bundle called for many tenants', () => {
  let testRunner: ReturnType<typeof startTestRunner>
  before(() => {
    testRunner = startTestRunner()
  })
  after(() => testRunner.stop())

  it('shares nothing between 200 calls with separate tokens', async () => {
    const bundle = createBundle(RETAINING_BUNDLE)
    const tokens = Array.from({ length: 200 }, (_, at) => `token-of-tenant-${at}`)
    const results = await runInBatchesOfTen(tokens, (token) =>
      callBundle(testRunner.runner, bundle, token),
    )
    for (const [at, each] of results.entries()) {
      assert.deepEqual(each.kept, [], 'nothing remains of earlier calls')
      assert.equal(each.token, tokens[at])
    }
    assert.equal(new Set(results.map((each) => each.random)).size, 200)
    assert.equal(new Set(results.map((each) => each.uuid)).size, 200)
    assert.equal(testRunner.runner.stats().restarts, 0)
  })
})

const RETAINING_BUNDLE = `
  const inModule = []
  module.exports = async (command, params) => {
    const places = [inModule, (globalThis.keep ??= []), (Object.prototype.keep ??= []),
      (require('http').keep ??= []), (process.env.keep ??= []), (require('buffer').Buffer.keep ??= [])]
    const kept = places.flatMap((place) => [...place])
    for (const place of places) place.push(params.config.token)
    await new Promise((resolve) => setTimeout(resolve, 1))
    delete Object.prototype.keep
    return {
      kept, token: params.config.token,
      random: Math.random(), uuid: require('crypto').randomUUID(),
    }
  }`

interface RetainedState {
  kept: string[]
  token: string
  random: number
  uuid: string
}

async function callBundle(runner: Runner, bundle: ReturnType<typeof createBundle>, token: string) {
  const { value } = await runner.run({
    bundle,
    tenant: TENANT,
    command: 'RUN',
    params: { config: { token } },
  })
  return value as RetainedState
}

async function runInBatchesOfTen<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += 10) {
    results.push(...(await Promise.all(items.slice(at, at + 10).map(work))))
  }
  return results
}

describeHostileCases('a view of other calls', [
  {
    name: 'is not the memory behind an uninitialised Buffer',
    code: wrapInMain('return Buffer.allocUnsafe(1e6).every((byte) => byte === 0)'),
    expect: expectResult(true),
  },
  {
    name: 'is not an environment, arguments or a folder',
    code: wrapInMain(
      'return [Object.keys(process.env).length, process.cwd(), process.argv.length]',
    ),
    expect: (value) => {
      assert.ok(Array.isArray(value))
      assert.equal(value[0], 0)
      assert.equal(value[1], '/')
    },
  },
])
