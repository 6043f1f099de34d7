import { setTimeout as sleep } from 'node:timers/promises'
import { measure, type Round, type Traffic } from '../measure.ts'
import { readCpuSeconds } from '../process-tree.ts'
import { median } from '../statistics.ts'
import type { ConsoleDatabase, CopiedService } from './console-database.ts'
import { type ConsoleVisit, visitConsole } from './console-visit.ts'
import { printFigure, printFigureHead } from './figures.ts'

const WINDOWS = 12
const WINDOW_SECONDS = 1.5
const CONNECTIONS = 16
const CONSOLES = 10
const PAGE_EVERY_MS = 3_000
/** Three percent. */
const GOAL = 1.03
/** Of a core. */
const CORE_MS = 30
const IDLE_SECONDS = 15

/** Prints what the request log and open consoles cost requests of the API: two services, in alternating windows. */
export async function measureApiEffect(database: ConsoleDatabase): Promise<void> {
  printFigureHead('Get account: CPU a request, ratio of the medians')
  const one = await database.startCopy()
  try {
    const off = await database.startCopy({ LINCHPIN_REQUEST_LOG: 'off' })
    await compareServices('request log: all over off', database, one, off).finally(off.stop)
    const consoles = await database.startCopy()
    const close = await openConsoles(database, consoles)
    const consolesMs = await measureIdleCpu(consoles, one)
    const title = `${CONSOLES} open consoles over none, less what they use without requests`
    await compareServices(title, database, consoles, one, consolesMs).finally(async () => {
      close()
      await consoles.stop()
    })
  } finally {
    await one.stop()
  }
}

/**
 * Both at the same time, while no one calls the API: unlike a ratio, this does not depend on how many requests there are.
 *
 * @returns what the consoles use, in milliseconds of CPU a second
 */
async function measureIdleCpu(
  ...services: readonly [CopiedService, CopiedService]
): Promise<number> {
  const read = () => services.map(({ service }) => readCpuSeconds(service.pid).own)
  const from = read()
  await sleep(IDLE_SECONDS * 1_000)
  const until = read()
  const [open = 0, none = 0] = until.map(
    (seconds, index) => ((seconds - (from[index] ?? 0)) * 1_000) / IDLE_SECONDS,
  )
  printFigure({
    name: `${CONSOLES} open consoles over none, without requests, CPU a second`,
    value: open - none,
    goal: CORE_MS,
    unit: ' ms',
    note: `${open.toFixed(0)} over ${none.toFixed(0)}`,
  })
  return open - none
}

/** @param otherMs what the first service does besides, in milliseconds of CPU a second */
async function compareServices(
  title: string,
  database: ConsoleDatabase,
  first: CopiedService,
  second: CopiedService,
  otherMs = 0,
): Promise<void> {
  const tokens = { 'owner token': database.setup.token, 'token with `read`': database.readToken }
  for (const [name, token] of Object.entries(tokens)) {
    const sides = [first, second].map(({ service }) => ({
      traffic: createTraffic(database, service, token),
      rounds: [] as Round[],
    }))
    for (const { traffic } of sides) await measure(traffic)
    for (let round = 0; round < WINDOWS; round += 1)
      for (const { traffic, rounds } of round % 2 === 0 ? sides : sides.toReversed())
        rounds.push(await measure(traffic))
    const [all = [], without = []] = sides.map(({ rounds }) => rounds.map((each) => each.cpuMicros))
    const perSecond = sides[0]?.rounds.map((each) => each.perSecond) ?? []
    const net = all.map((micros, index) => micros - (otherMs * 1_000) / (perSecond[index] ?? 0))
    printRatio(`${title}, ${name}`, { net, without, all })
  }
}

function createTraffic(
  { accountIds }: ConsoleDatabase,
  { url, pid }: CopiedService['service'],
  token: string,
): Traffic {
  const toPath = (id: string) => `/api/v1/integration_account/${id}`
  return {
    url,
    pid,
    requests: accountIds.map((id) => ({ method: 'GET', path: toPath(id) })),
    headers: { authorization: `Bearer ${token}` },
    connections: CONNECTIONS,
    seconds: WINDOW_SECONDS,
  }
}

/** Microseconds of CPU by round; `all` is with what the service does besides. */
function printRatio(
  name: string,
  { net, without, all }: Readonly<Record<'net' | 'without' | 'all', readonly number[]>>,
): void {
  const least = Math.min(...net) / Math.min(...without)
  const whole = median(all) / median(without)
  printFigure({
    name,
    value: median(net) / median(without),
    goal: GOAL,
    unit: '',
    digits: 3,
    note: `of the minima ${least.toFixed(3)}; ${median(net).toFixed(1)} over ${median(without).toFixed(1)} µs; in all ${whole.toFixed(3)}`,
  })
}

/** People who look at pages, and open another one every few seconds. @returns what closes their consoles */
async function openConsoles(
  { ids }: ConsoleDatabase,
  { service, ...location }: CopiedService,
): Promise<() => void> {
  const paths = ['', '/connections', `/connections/${ids.integrationAccountId}`, '/logs']
  const closing = new AbortController()
  const visits: ConsoleVisit[] = []
  for (let index = 0; index < CONSOLES; index += 1) {
    const visit = await visitConsole(service, location, index + 2)
    visit.watch()
    visits.push(visit)
    void (async () => {
      for (let page = index; !closing.signal.aborted; page += 1) {
        await visit.load(`/console${paths[page % paths.length]}`).catch(() => {})
        await sleep(PAGE_EVERY_MS)
      }
    })()
  }
  return () => {
    closing.abort()
    for (const visit of visits) visit.close()
  }
}
