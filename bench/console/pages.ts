import { SCREENS } from '../../packages/server/src/console/screens/screens.ts'
import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'
import { readCpuSeconds } from '../process-tree.ts'
import { median } from '../statistics.ts'
import type { ConsoleDatabase } from './console-database.ts'
import { type ConsoleVisit, visitConsole } from './console-visit.ts'
import { printFigure, printFigureHead } from './figures.ts'

/** A page and what it must not exceed, in milliseconds. */
interface PageGoal {
  readonly name: string
  readonly path: string
  readonly goal: number
}

const P95_MS = 80
/** Loads of a page for its p95. */
const LOADS = 60
/** Loads of a round, and rounds, for its CPU time. */
const CPU_LOADS = 200
const ROUNDS = 3

/** Prints what pages with their API calls cost the server, and how long each screen takes beside many accounts. */
export async function measurePages(database: ConsoleDatabase, accounts: number): Promise<void> {
  const service = await database.start()
  try {
    const visit = await visitConsole(service, database)
    printFigureHead('Server CPU of a page with its API calls')
    for (const goal of listCpuGoals(database)) await printCpu(service, visit, goal)
    printFigureHead(`p95 of each screen, ${accounts.toLocaleString('en')} accounts`)
    await visit.elevate()
    const tokenId = await createToken(visit)
    const requestLogId = await findRequest(service)
    const ids = { ...database.ids, tokenId, requestLogId }
    for (const goal of listScreens(ids, accounts)) await printP95(service, visit, goal)
    visit.close()
  } finally {
    await service.stop()
  }
}

function listCpuGoals({ ids }: ConsoleDatabase): PageGoal[] {
  return [
    { name: 'connections', path: '/console/connections', goal: 3 },
    { name: 'connection', path: `/console/connections/${ids.integrationAccountId}`, goal: 5 },
    { name: 'overview', path: '/console', goal: 6 },
  ]
}

async function printCpu(
  service: ServiceProcess,
  visit: ConsoleVisit,
  { name, path, goal }: PageGoal,
): Promise<void> {
  await load(visit, path, CPU_LOADS)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = readCpuSeconds(service.pid).own
    await load(visit, path, CPU_LOADS)
    rounds.push(((readCpuSeconds(service.pid).own - from) * 1_000) / CPU_LOADS)
  }
  const note = `median ${median(rounds).toFixed(1)}`
  printFigure({ name, value: Math.min(...rounds), goal, unit: ' ms', note })
}

/** Every screen with real IDs, then the states of some that read most. */
function listScreens(ids: Readonly<Record<string, string>>, accounts: number): PageGoal[] {
  const fill = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name)
  const customer = `customer-${Math.floor(accounts / 20)}`
  const queries: Readonly<Record<string, string>> = {
    '/customer': `?identifier=${customer}`,
    '/search': '?q=',
  }
  const page = (path: string, goal = P95_MS, name = path || '/') => ({
    name: `\`${name}\``,
    path: `/console${path}`,
    goal,
  })
  return [
    ...SCREENS.filter(({ path }) => !OTHERS.includes(path)).map(({ path }) =>
      page(fill(path) + (queries[path] ?? ''), P95_MS, path || '/'),
    ),
    ...STATES.map((path) => page(path)),
    page(`/connections?q=${customer}`, 20),
    page('/connections?q=desk+4711'),
    page('/connections?q=nowhere'),
    page(`/search?q=${customer}`, 20),
    page('/search?q=desk+4711'),
    page('/search?q=nowhere'),
  ]
}

/** One only redirects, and one is a download. */
const OTHERS: readonly string[] = ['/connections/jobs', '/connections/jobs/:bulkJobId/pages']

const STATES = [
  '/settings/sign-in',
  '/connections?status=needs_reauth',
  '/connections?status=pending',
  '/customers?q=customer-9',
  '/attempts?outcome=failed',
  '/attempts?view=codes',
  '/logs?view=provider',
  '/logs?view=events',
  '/logs?outcome=4xx',
  '/logs?view=provider&outcome=4xx',
]

async function printP95(
  service: ServiceProcess,
  visit: ConsoleVisit,
  { name, path, goal }: PageGoal,
): Promise<void> {
  try {
    await load(visit, path, 10)
  } catch (error) {
    return console.log(`| ${name} | ${(error as Error).message.slice(0, 80)} | | **no** |`)
  }
  const from = readCpuSeconds(service.pid).own
  const times = (await load(visit, path, LOADS)).sort((a, b) => a - b)
  const cpuMs = ((readCpuSeconds(service.pid).own - from) * 1_000) / LOADS
  const value = times[Math.ceil(LOADS * 0.95) - 1] ?? Number.NaN
  const note = `median ${median(times).toFixed(1)}, CPU ${cpuMs.toFixed(1)}`
  printFigure({ name, value, goal, unit: ' ms', note })
}

/** Loads a page repeatedly, one at a time. @returns the milliseconds of each */
async function load(visit: ConsoleVisit, path: string, times: number): Promise<number[]> {
  const durations: number[] = []
  for (let count = 0; count < times; count += 1) {
    const startedAt = performance.now()
    await visit.load(path)
    durations.push(performance.now() - startedAt)
  }
  return durations
}

/** A session manages only the tokens that its person has created. */
async function createToken(visit: ConsoleVisit): Promise<string> {
  const path = '/console/settings/tokens/new'
  const fields = { name: 'Nightly export', scope: 'read', days: '7' }
  await visit.submit(await visit.read(path), path, fields)
  const list = await visit.read('/console/settings/tokens')
  return /tokens\/(tok_\w+)/.exec(list)?.[1] ?? ''
}

async function findRequest(service: ServiceProcess): Promise<string> {
  const { body } = await service.call('GET', '/v1/request?limit=1')
  return body[0]?.requestLogId ?? ''
}
