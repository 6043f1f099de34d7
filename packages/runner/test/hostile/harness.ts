import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  type Bundle,
  createEgressGateway,
  createRunner,
  type EgressGatewayOptions,
  type Limits,
  type Runner,
  RunnerError,
  type RunnerErrorCode,
} from '../../src/index.ts'
import { BUSY_MACHINE_OPTIONS } from '../busy-machine-options.ts'

const HOSTILE = { workspaceId: 'hostile' }

/** One hostile bundle and its expected outcome. */
export interface HostileCase {
  readonly name: string
  /** The whole bundle; `inMain` wraps the body of its main function. */
  readonly code: string
  /** The error's code, a function that checks the result, or `anything` as long as it ends. */
  readonly expect: RunnerErrorCode | 'anything' | ((value: unknown) => void)
  readonly params?: Readonly<Record<string, unknown>>
  readonly limits?: Partial<Limits>
}

/** A bundle with this body of its main function. */
export function wrapInMain(body: string): string {
  return `module.exports = async (command, params) => { ${body} }`
}

/** Expects exactly this result. */
export function expectResult(expected: unknown): (value: unknown) => void {
  return (value) => assert.deepEqual(value, expected)
}

export function createBundle(code: string): Bundle {
  return { sha256: createHash('sha256').update(code).digest('hex'), load: async () => code }
}

/** Small limits, so that a hostile call ends soon. */
export const SMALL_LIMITS: Partial<Limits> = { cpuMs: 300, wallMs: 1_500 }

/** Limits that no case reaches, even on a busy machine, for cases that something other than time has to stop. */
const LARGE_LIMITS: Partial<Limits> = { cpuMs: 20_000, wallMs: 60_000 }

/** A runner with a single child, so that every call runs beside the hostile one. */
export function startTestRunner(gatewayOptions: Partial<EgressGatewayOptions> = {}): {
  runner: Runner
  stop: () => Promise<void>
} {
  const egressGateway = createEgressGateway({ allow: [], ...gatewayOptions })
  const runner = createRunner({ egressGateway, children: 1, ...BUSY_MACHINE_OPTIONS })
  const stop = async () => {
    await runner.close()
    await egressGateway.close()
  }
  return { runner, stop }
}

/** Runs each case, and asserts that a concurrent call and the next call succeed and that no child was lost. */
export function describeHostileCases(title: string, cases: readonly HostileCase[]): void {
  describe(title, () => {
    let testRunner: ReturnType<typeof startTestRunner>
    before(async () => {
      testRunner = startTestRunner()
      await testRunner.runner.ready()
      await assertOtherCallWorks(testRunner.runner, 'first')
    })
    after(() => testRunner.stop())
    for (const each of cases) {
      it(each.name, async () => {
        const otherCall = assertOtherCallWorks(testRunner.runner, 'beside')
        await runCase(testRunner.runner, each)
        await otherCall
        await assertOtherCallWorks(testRunner.runner, 'next')
        assert.equal(testRunner.runner.stats().restarts, 0, 'no child was lost')
        assert.deepEqual(Object.keys(Object.prototype), [])
      })
    }
  })
}

const TIMEOUT_EXPECTATIONS = new Set<unknown>(['integration_timeout', 'anything'])

/** Runs one case and checks its outcome. */
async function runCase(runner: Runner, { code, expect, ...each }: HostileCase) {
  const call = runner.run({
    bundle: createBundle(code),
    tenant: HOSTILE,
    // The runner returns only the keys of a check result from CHECK.
    command: 'RUN',
    params: each.params ?? { config: { token: 'the-secret-token' } },
    limits: { ...(TIMEOUT_EXPECTATIONS.has(expect) ? SMALL_LIMITS : LARGE_LIMITS), ...each.limits },
  })
  if (typeof expect === 'function') {
    expect((await call).value)
    return
  }
  if (expect === 'anything') {
    await call.catch((error) => assert.ok(error instanceof RunnerError, String(error)))
    return
  }
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof RunnerError, String(error))
    assert.equal(error.code, expect, error.message)
    assert.ok(error.message.length < 600)
    assert.ok(!error.message.includes('the-secret-token'), error.message)
    return true
  })
}

const OTHER_CALL_BUNDLE = createBundle(
  wrapInMain('return { word: params.word, clean: globalThis.stain === undefined && !({}).stain }'),
)

async function assertOtherCallWorks(runner: Runner, word: string): Promise<void> {
  const call = {
    bundle: OTHER_CALL_BUNDLE,
    tenant: { workspaceId: 'neighbour' },
    command: 'RUN',
    params: { word },
  } as const
  const { value } = await runner.run(call)
  assert.deepEqual(value, { word, clean: true })
}
