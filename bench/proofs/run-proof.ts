import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Outcome, readOutput } from './outcome.ts'
import type { Proof, TestProof } from './test-proof.ts'

/** A program that runs a proof, and what it repeats. */
interface Program {
  readonly args: readonly string[]
  /** The short form, if the proof has one. */
  readonly isBrief: boolean
  readonly repetitions: Readonly<Record<string, string>>
}

/** The tests of a proof. `args` go to `node --test`. */
export function toProgram(
  proof: TestProof,
  { isBrief, args = [] }: { readonly isBrief: boolean; readonly args?: readonly string[] },
): Program {
  const processes = proof.sharesProcess === true ? '--test-isolation=none' : '--test-concurrency=1'
  const flags = ['--test', `--test-timeout=${proof.limitMinutes * 60_000}`, processes]
  const brief = isBrief ? proof.brief : undefined
  const environment = { ...proof.environment, ...brief }
  const given = Object.entries(environment).map(([name, value]) => [
    name,
    process.env[name] ?? value,
  ])
  return {
    args: [...flags, ...args, ...proof.files],
    isBrief: brief !== undefined,
    repetitions: Object.fromEntries(given),
  }
}

/** The attacks of which others would notice most; two rounds have enough requests for a p99. */
const BRIEF_ISOLATION = ['hanging', 'flooding with writes', 'mixed']
  .flatMap((scenario) => ['--scenario', scenario])
  .concat('--rounds', '2')

/** The program of the proof `isolation`. */
export function toIsolationProgram({
  isBrief,
  args = [],
}: {
  readonly isBrief: boolean
  readonly args?: readonly string[]
}): Program {
  const brief = isBrief ? BRIEF_ISOLATION : []
  // Not about the disk, whose stalls would be measured as well.
  const repetitions = existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}
  return { args: ['bench/isolation/program.ts', ...brief, ...args], isBrief, repetitions }
}

/** Runs a proof until it ends, or its time is over. `print` receives its output. */
export async function runProof(
  proof: Proof,
  { args, isBrief, repetitions }: Program,
  print: (text: string) => void,
): Promise<Outcome> {
  const startedAt = Date.now()
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its own group: tests start services, which end with it.
    detached: true,
    env: {
      NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/node'),
      ...process.env,
      ...repetitions,
      // Set in tests: `node --test` would run nothing.
      NODE_TEST_CONTEXT: undefined,
    },
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    print(text)
  })
  const killGroup = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    killGroup()
  }, proof.limitMinutes * 60_000)
  process.once('exit', killGroup)
  const [code] = await once(child, 'close')
  process.off('exit', killGroup)
  clearTimeout(limit)
  return {
    name: proof.name,
    ...(isBrief && { isBrief }),
    result: isLate ? 'timed out' : code === 0 ? 'passed' : 'failed',
    repetitions,
    ...readOutput(output),
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date(startedAt).toISOString().slice(0, 10),
  }
}
