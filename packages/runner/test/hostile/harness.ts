import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  type Bundle,
  createGate,
  createRunner,
  type GateOptions,
  type Limits,
  type Runner,
  RunnerError,
  type RunnerErrorCode,
} from '../../src/index.ts'

const HOSTILE = { workspaceId: 'hostile' }

/** One hostile bundle and what must come of it. */
export interface HostileCase {
  readonly name: string
  /** The whole bundle; `inMain` wraps what only its main function does. */
  readonly code: string
  /** The error's code, a function that judges the answer, or `anything` as long as it ends. */
  readonly expect: RunnerErrorCode | 'anything' | ((value: unknown) => void)
  readonly params?: Readonly<Record<string, unknown>>
  readonly limits?: Partial<Limits>
}

/** A bundle whose main function does this. */
export function inMain(body: string): string {
  return `module.exports = async (command, params) => { ${body} }`
}

/** Expects exactly this answer. */
export function answers(expected: unknown): (value: unknown) => void {
  return (value) => assert.deepEqual(value, expected)
}

export function bundleOf(code: string): Bundle {
  return { sha256: createHash('sha256').update(code).digest('hex'), load: async () => code }
}

/** Limits that are small, so that a hostile call is over soon. */
export const SMALL: Partial<Limits> = { cpuMs: 300, wallMs: 1_500 }

/** Limits that no case reaches, however starved the machine, where something else than time is to stop the call. */
const AMPLE: Partial<Limits> = { cpuMs: 20_000, wallMs: 60_000 }

/** A runner with a single child, so that every call has the hostile one beside it. */
export function startJail(gateOptions: Partial<GateOptions> = {}): {
  runner: Runner
  stop: () => Promise<void>
} {
  const gate = createGate({ allow: [], ...gateOptions })
  const runner = createRunner({ gate, children: 1 })
  const stop = async () => {
    await runner.close()
    await gate.close()
  }
  return { runner, stop }
}

/** Runs each case, and asserts that a call beside it and the next call are fine and that no child was lost. */
export function hostileSuite(title: string, cases: readonly HostileCase[]): void {
  describe(title, () => {
    let jail: ReturnType<typeof startJail>
    before(async () => {
      jail = startJail()
      await jail.runner.ready()
      await checkNeighbour(jail.runner, 'first')
    })
    after(() => jail.stop())
    for (const each of cases) {
      it(each.name, async () => {
        const neighbour = checkNeighbour(jail.runner, 'beside')
        await checkCase(jail.runner, each)
        await neighbour
        await checkNeighbour(jail.runner, 'next')
        assert.equal(jail.runner.stats().restarts, 0, 'no child was lost')
        assert.deepEqual(Object.keys(Object.prototype), [])
      })
    }
  })
}

const TIMED = new Set<unknown>(['integration_timeout', 'anything'])

/** Runs one case and judges what comes of it. */
async function checkCase(runner: Runner, { code, expect, ...each }: HostileCase) {
  const call = runner.run({
    bundle: bundleOf(code),
    tenant: HOSTILE,
    // Of a CHECK's answer only the keys of a verdict are passed on.
    command: 'RUN',
    params: each.params ?? { config: { token: 'the-secret-token' } },
    limits: { ...(TIMED.has(expect) ? SMALL : AMPLE), ...each.limits },
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

const NEIGHBOUR = bundleOf(
  inMain('return { said: params.word, clean: globalThis.stain === undefined && !({}).stain }'),
)

async function checkNeighbour(runner: Runner, word: string): Promise<void> {
  const call = {
    bundle: NEIGHBOUR,
    tenant: { workspaceId: 'neighbour' },
    command: 'RUN',
    params: { word },
  } as const
  const { value } = await runner.run(call)
  assert.deepEqual(value, { said: word, clean: true })
}
