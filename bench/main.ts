import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { postgresAvailable, startPostgres } from '../packages/server/test/postgres-cluster.ts'
import { measureBystander } from './bystander.ts'
import { checkOverhead } from './check-overhead.ts'
import { startChild } from './child.ts'
import { compare } from './compare.ts'
import { compareWrites } from './compare-writes.ts'
import { measureConsole } from './console/main.ts'
import { measuredOperations } from './operations.ts'
import { printRow, printTableHead, printWrites } from './print.ts'
import { readMemoryMegabytes } from './process-tree.ts'
import { type BenchmarkedService, startSubject } from './subject.ts'

// `npm run bench [-- options]`: what the service costs over a bare node:http server that answers with the same bytes.
const USAGE = `npm run bench -- [--quick] [--accounts N] [--database sqlite|postgres] [--only TEXT]...
npm run bench -- console [--accounts N] [--database sqlite|postgres] [--only TEXT]...

  --quick      shorter rounds, and 20,000 accounts
  --accounts   accounts in the database; half of them in one workspace (default: 1000000)
  --only       operations whose names contain the text

console measures the pages of the console and their goals beside so many accounts in one workspace (default: 100000).
  --only       of pages, browser, effect and starts`
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    accounts: { type: 'string' },
    database: { type: 'string' },
    only: { type: 'string', multiple: true, default: [''] },
    help: { type: 'boolean', default: false },
  },
})
const isConsole = positionals[0] === 'console'
const DEFAULT_ACCOUNTS = isConsole ? 100_000 : 1_000_000
const accounts = Number(options.accounts ?? (options.quick ? 20_000 : DEFAULT_ACCOUNTS))
const isUnknown = !Number.isInteger(accounts) || positionals.length > Number(isConsole)
const WRITES = 'writes beside an empty database'
const rounds = options.quick ? { count: 3, seconds: 0.5 } : { count: 5, seconds: 1 }
if (options.help || isUnknown) console.log(USAGE)
else await run()

async function run(): Promise<void> {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${accounts.toLocaleString('en')} accounts${options.quick ? ', quick' : ''}`,
  )
  const { database, only } = options
  if (isConsole) return measureConsole({ accounts, database, only })
  const desk = await startChild('./desk-server.ts')
  try {
    if (options.database !== 'postgres') await runOn('SQLite', desk, {})
    if (options.database !== 'sqlite') await runOnPostgres(desk)
  } finally {
    await desk.stop()
  }
}

async function runOnPostgres(desk: { readonly url: string }): Promise<void> {
  if (!postgresAvailable())
    return console.log('\nPostgreSQL was not found: skipping its part of the table.')
  const server = await startPostgres()
  try {
    const emptyUrl = await server.createDatabase('empty')
    await runOn('PostgreSQL on the same machine', desk, { url: server.url, emptyUrl })
  } finally {
    await server.stop()
  }
}

/** Two databases of PostgreSQL; without them, SQLite. */
interface DatabaseUrls {
  readonly url?: string
  readonly emptyUrl?: string
}

async function runOn(
  title: string,
  desk: { readonly url: string },
  { url, emptyUrl }: DatabaseUrls,
): Promise<void> {
  const subject = await startSubject(desk, { databaseUrl: url, accounts })
  const { service, firstCreateMs } = subject
  try {
    const idleMegabytes = readMemoryMegabytes(service.pid)
    const overhead = await checkOverhead(subject, desk.url, options.quick ? 100 : 300)
    printTableHead(title)
    for (const operation of measuredOperations(subject))
      if (options.only.some((text) => operation.name.includes(text)))
        printRow(await compare(subject, operation, rounds))
    if (options.only.some((text) => WRITES.includes(text)))
      await compareWithEmpty(subject, desk, emptyUrl)
    const { checkMs, providerMs, addedMs } = overhead
    const figures = [
      `Start until ready: ${service.readyAfterMs.toFixed(0)} ms. First account created after ${firstCreateMs.toFixed(0)} ms more.`,
      `Memory of all processes (PSS): ${idleMegabytes.toFixed(0)} MB after the first accounts, ${readMemoryMegabytes(service.pid).toFixed(0)} MB after the table.`,
      `One check at a time, warm, median: ${checkMs.toFixed(2)} ms, of which the provider itself ${providerMs.toFixed(2)} ms. CHECK adds ${addedMs.toFixed(2)} ms.`,
    ]
    console.log(`\n${figures.join('\n')}`)
    for (const { name, medianMs, p99Ms, maxMs } of await measureBystander(subject))
      console.log(
        `/health/live beside ${name}: median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms.`,
      )
  } finally {
    await subject.stop()
  }
}

async function compareWithEmpty(
  subject: BenchmarkedService,
  desk: { readonly url: string },
  databaseUrl: string | undefined,
): Promise<void> {
  const empty = await startSubject(desk, { databaseUrl })
  try {
    const count = options.quick ? 200 : 400
    printWrites(await compareWrites(subject, empty, { rounds: rounds.count, accounts: count }))
  } finally {
    await empty.stop()
  }
}
