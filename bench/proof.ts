import { storeOutcome, writeReport } from './proofs/outcomes-file.ts'
import { ISOLATION, PROOFS, TEST_PROOFS } from './proofs/proofs.ts'
import { runProof, toIsolationProgram, toProgram } from './proofs/run-proof.ts'
import type { Proof } from './proofs/test-proof.ts'

type Print = (text: string) => void

// `npm run proof` runs all proofs, `-- NAME [options]` one at full length, and both write tmp/proof.md; `-- --list` lists them.
const [name, ...args] = process.argv.slice(2)
// A proof has a process group of its own, which Ctrl-C does not reach: it is killed at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const proof = PROOFS.find((each) => each.name === name)
if (name === undefined) process.exitCode = await runAll()
else if (name === '--report') writeReport()
else if (proof !== undefined) {
  const outcome = await run(proof, { isBrief: false, args }, write)
  // Options and variables may select a part of it.
  if (args.length === 0 && !hasOwnLength(proof)) storeOutcome(outcome)
  process.exitCode = outcome.result === 'passed' ? 0 : 1
} else {
  printUsage()
  process.exitCode = name === '--list' || name === '--help' ? 0 : 2
}

/** Runs every proof, whatever the others do: those that are timed at the end, alone. */
async function runAll(): Promise<number> {
  const failed: string[] = []
  const runNext = async (each: Proof) => {
    console.log(`${each.name} …`)
    const output: string[] = []
    const outcome = await run(each, { isBrief: true, args: [] }, (text) => output.push(text))
    storeOutcome(outcome)
    if (outcome.result !== 'passed') failed.push(`${each.name} (${outcome.result})`)
    console.log(`\n${describe(each)}\n${output.join('')}`)
  }
  const long = PROOFS.filter(({ isLong }) => isLong === true)
  const untimed = PROOFS.filter(({ isLong, isTimed }) => isLong !== true && isTimed !== true)
  const runUntimed = async () => {
    for (let each = untimed.shift(); each !== undefined; each = untimed.shift()) await runNext(each)
  }
  // One beside the long one, and two when that has ended.
  await Promise.all([runUntimed(), Promise.all(long.map(runNext)).then(runUntimed)])
  for (const each of PROOFS.filter(({ isTimed }) => isTimed === true)) await runNext(each)
  console.log(failed.length === 0 ? '\nEvery proof passed.' : `\nFailed: ${failed.join(', ')}.`)
  return failed.length === 0 ? 0 : 1
}

function describe({ name: each, promise }: Proof): string {
  return `— ${each}: ${promise}`
}

function write(text: string): void {
  process.stdout.write(text)
}

function run(
  each: Proof,
  { isBrief, args: extra }: { readonly isBrief: boolean; readonly args: readonly string[] },
  print: Print,
) {
  const testProof = TEST_PROOFS.find(({ name: other }) => other === each.name)
  if (testProof !== undefined)
    return runProof(each, toProgram(testProof, { isBrief, args: extra }), print)
  return runProof(ISOLATION, toIsolationProgram({ isBrief, args: extra }), print)
}

/** Whether the caller's environment changes the length of a proof. */
function hasOwnLength({ name: each }: Proof): boolean {
  const { environment = {} } = TEST_PROOFS.find(({ name: other }) => other === each) ?? {}
  return Object.entries(environment).some(
    ([variable, value]) => (process.env[variable] ?? value) !== value,
  )
}

function printUsage(): void {
  const lines = PROOFS.map(({ name: each, promise, attack }) => {
    const settings = Object.keys(
      TEST_PROOFS.find((other) => other.name === each)?.environment ?? {},
    )
    const variables = settings.length === 0 ? '' : ` (${settings.join(', ')})`
    return `  ${each.padEnd(17)}${promise}\n${' '.repeat(19)}${attack}${variables}`
  })
  console.log(`Usage: npm run proof                     all, in less than an hour; writes tmp/proof.md
       npm run proof -- NAME [options]   one, at full length; writes its part of tmp/proof.md, without options
       npm run proof -- --list
       npm run proof -- --report         writes tmp/proof.md again, after a change of the table

${lines.join('\n')}`)
}
