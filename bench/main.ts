import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { postgresAvailable, startPostgres } from '../packages/server/test/postgres-cluster.ts'
import { checkOutCommit } from './against.ts'
import { measureBystander } from './bystander.ts'
import { checkOverhead } from './check-overhead.ts'
import { startChild } from './child.ts'
import { type Comparison, compareServices, compareWithBare } from './compare.ts'
import { compareStarts } from './compare-starts.ts'
import { compareWrites } from './compare-writes.ts'
import { measureConsole } from './console/main.ts'
import { type MeasuredOperation, measuredOperations } from './operations.ts'
import {
  printAgainst,
  printAgainstHead,
  printOverheads,
  printRow,
  printStarts,
  printTableHead,
  printWaits,
  printWrites,
} from './print.ts'
import { readMemoryMegabytes } from './process-tree.ts'
import { measureStatistics } from './read-statistics.ts'
import { type BenchmarkedService, type SourceTree, startSubject } from './subject.ts'

// `npm run bench [-- options]`: what the service costs over a bare node:http server that answers with the same bytes.
const USAGE = `npm run bench -- [--against COMMIT] [--quick] [--accounts N] [--database sqlite|postgres] [--only TEXT]...
npm run bench -- console [--accounts N] [--database sqlite|postgres] [--only TEXT]...
npm run bench -- statistics [--database sqlite|postgres]

  --against    compares with another commit instead of a bare server, in alternating rounds; its ratios are those of the
               commit over this tree, and a difference is marked if its rounds agree
  --quick      shorter rounds, and 20,000 accounts
  --accounts   accounts in the database; half of them in one workspace (default: 1000000). More than 2,000,000 stay in
               node_modules/.cache/bench, and runs change them: 2.6 kB each
  --only       operations whose names contain the text

console measures the pages of the console and their goals beside so many accounts in one workspace (default: 100000).
  --only       of pages, browser, effect and starts
statistics measures their responses, beside 960,960 rows of hours.`
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    accounts: { type: 'string' },
    database: { type: 'string' },
    only: { type: 'string', multiple: true, default: [''] },
    help: { type: 'boolean', default: false },
  },
})
const isConsole = positionals[0] === 'console'
const isStatistics = positionals[0] === 'statistics'
const DEFAULT_ACCOUNTS = isConsole ? 100_000 : 1_000_000
const accounts = Number(options.accounts ?? (options.quick ? 20_000 : DEFAULT_ACCOUNTS))
const isUnknown =
  !Number.isInteger(accounts) ||
  positionals.length > Number(isConsole || isStatistics) ||
  ((isConsole || isStatistics) && options.against !== undefined)
const WRITES = 'writes beside an empty database'
const STARTS = 'starts'
const OVERHEAD = 'what a check adds'
const BYSTANDER = 'health beside other work'
const rounds = chooseRounds()
// What was started and created is removed when the process exits.
for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 }))
  process.once(signal, () => process.exit(128 + number))
if (options.help || isUnknown) console.log(USAGE)
else if (isStatistics) await measureStatistics(options.database)
else await run()

/** More for a comparison with a commit: they have to agree. */
function chooseRounds() {
  const isAgainst = options.against !== undefined
  return options.quick
    ? { count: isAgainst ? 7 : 3, seconds: 0.5 }
    : { count: isAgainst ? 9 : 5, seconds: 1 }
}

/** What the service is measured on. */
interface Bench {
  readonly title: string
  readonly desk: { readonly url: string }
  /** Creates a database of PostgreSQL; absent for SQLite. */
  readonly createDatabase?: (name: string) => Promise<string>
}

async function run(): Promise<void> {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${accounts.toLocaleString('en')} accounts${options.quick ? ', quick' : ''}`,
  )
  const { database, only, against } = options
  if (isConsole) return measureConsole({ accounts, database, only })
  const tree = against === undefined ? undefined : checkOutCommit(against)
  const desk = await startChild('./desk-server.ts')
  const runOn = (bench: Bench) => (tree ? runAgainst(bench, tree) : runWithBare(bench))
  try {
    if (database !== 'postgres') await runOn({ title: 'SQLite', desk })
    if (database !== 'sqlite') await runOnPostgres(desk, runOn)
  } finally {
    await desk.stop()
  }
}

async function runOnPostgres(
  desk: Bench['desk'],
  runOn: (bench: Bench) => Promise<void>,
): Promise<void> {
  if (!postgresAvailable())
    return console.log('\nPostgreSQL was not found: skipping its part of the table.')
  const { createDatabase, stop } = await startPostgres()
  await runOn({ title: 'PostgreSQL on the same machine', desk, createDatabase }).finally(stop)
}

/** Starts the service on a filled database. */
async function start(
  { desk, createDatabase }: Bench,
  name: string,
  settings: { readonly accounts?: number; readonly tree?: SourceTree } = { accounts },
): Promise<BenchmarkedService> {
  return startSubject(desk, { ...settings, databaseUrl: await createDatabase?.(name) })
}

/** Prints how each operation compares with the same of another commit. */
async function runAgainst(bench: Bench, tree: SourceTree): Promise<void> {
  const own = await start(bench, 'own')
  const services = [own]
  try {
    const other = await start(bench, 'other', { accounts, tree })
    services.push(other)
    printAgainstHead(bench.title, options.against ?? '')
    const others = measuredOperations(other)
    for (const [index, operation] of measuredOperations(own).entries()) {
      const counterpart = others[index]
      if (counterpart === undefined || !isChosen(operation.name)) continue
      const sides = [
        { subject: own, operation },
        { subject: other, operation: counterpart },
      ] as const
      await printRows(operation, () => compareServices(...sides, rounds), printAgainst)
    }
    if (isChosen(STARTS)) await printComparedStarts(services)
  } finally {
    for (const service of services) await service.stop()
  }
}

/** An operation that fails, such as on a machine that is too busy, leaves the others. */
async function printRows(
  { name }: MeasuredOperation,
  compare: () => Promise<Comparison[]>,
  print: (row: Comparison) => void,
): Promise<void> {
  try {
    for (const row of await compare()) print(row)
  } catch (error) {
    process.exitCode = 1
    console.log(`| ${name} | failed: ${(error as Error).message} |`)
  }
}

function isChosen(name: string): boolean {
  return options.only.some((text) => name.includes(text))
}

async function printComparedStarts(services: readonly BenchmarkedService[]): Promise<void> {
  for (const { service } of services) await service.stop()
  const names = services.length > 1 ? ['this tree', options.against ?? ''] : ['this tree']
  printStarts(names, await compareStarts(services, rounds.count))
}

/** Prints how each operation compares with a bare server, and figures of the whole service. */
async function runWithBare(bench: Bench): Promise<void> {
  const subject = await start(bench, 'own')
  const { pid } = subject.service
  try {
    const idleMegabytes = readMemoryMegabytes(pid)
    printTableHead(bench.title)
    for (const operation of measuredOperations(subject))
      if (isChosen(operation.name))
        await printRows(operation, () => compareWithBare({ subject, operation }, rounds), printRow)
    if (isChosen(WRITES)) await compareWithEmpty(subject, bench)
    console.log(
      `\nMemory of all processes (PSS): ${idleMegabytes.toFixed(0)} MB after the first accounts, ${readMemoryMegabytes(pid).toFixed(0)} MB after the table.`,
    )
    if (isChosen(OVERHEAD)) printOverheads(await checkOverhead(subject, options.quick ? 100 : 300))
    if (isChosen(BYSTANDER)) printWaits(await measureBystander(subject))
    if (isChosen(STARTS)) await printComparedStarts([subject])
  } finally {
    await subject.stop()
  }
}

async function compareWithEmpty(subject: BenchmarkedService, bench: Bench): Promise<void> {
  const empty = await start(bench, 'empty', {})
  try {
    const count = options.quick ? 200 : 400
    printWrites(await compareWrites(subject, empty, { rounds: rounds.count, accounts: count }))
  } finally {
    await empty.stop()
  }
}
