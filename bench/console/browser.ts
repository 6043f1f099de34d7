import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { hasChromium, startChromium } from '../../packages/server/test/browser/chromium.ts'
import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'
import { median } from '../statistics.ts'
import type { ConsoleDatabase } from './console-database.ts'
import { visitConsole } from './console-visit.ts'
import { printFigure, printFigureHead } from './figures.ts'
import { measureWeight } from './weight.ts'

const TIMES = 9
/** Until what a page does after it is shown is done. */
const SETTLE_MS = 700
const THROTTLING = 4

/** Prints the weight of a visit, and the CPU time of the main thread of Chromium. */
export async function measureBrowser(database: ConsoleDatabase): Promise<void> {
  if (!hasChromium()) return console.log('\nChromium was not found.')
  const service = await database.start()
  const browser = await startChromium()
  try {
    const cookie = (await visitConsole(service, database)).cookie()
    const url = service.url.replace('127.0.0.1', 'localhost')
    printFigureHead('Weight of a cold visit, as transferred')
    await measureWeight(await openPage(browser, url, cookie), url)
    printFigureHead(`CPU of Chromium's main thread, medians of ${TIMES}`)
    const page = await openPage(browser, url, cookie)
    await measureNavigation(page, url)
    await measureRefresh(page, url, service, database)
    await measureStart(page, url)
  } finally {
    await browser.close()
    await service.stop()
  }
}

async function openPage(browser: Browser, url: string, cookies: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  for (const cookie of cookies.split('; ')) {
    const [name = '', value = ''] = cookie.split(/=(.*)/)
    await context.addCookies([{ name, value, url }])
  }
  return context.newPage()
}

async function measureNavigation(page: Page, url: string): Promise<void> {
  const cpu = await watchCpu(page)
  await page.goto(`${url}/console/connections`)
  const into: number[] = []
  const back: number[] = []
  for (let time = 0; time <= TIMES; time += 1) {
    await sleep(SETTLE_MS)
    const toDetail = await cpu(async () => {
      await page.locator('main table a').nth(time).click()
      await page.waitForURL(/connections\/acc_/)
    })
    const toList = await cpu(async () => {
      await page.locator('nav a[href="/console/connections"]').first().click()
      await page.waitForURL(/connections$/)
    })
    // The first ones compile the script.
    if (time > 0) {
      into.push(toDetail)
      back.push(toList)
    }
  }
  printFigure({ name: 'list to connection', value: median(into), goal: 60, unit: ' ms' })
  printFigure({ name: 'connection to list of 50', value: median(back), goal: 60, unit: ' ms' })
}

/** An event in the workspace refreshes the list. */
async function measureRefresh(
  page: Page,
  url: string,
  service: ServiceProcess,
  { accountIds }: ConsoleDatabase,
): Promise<void> {
  await page.goto(`${url}/console/connections`)
  const cpu = await watchCpu(page)
  const values: number[] = []
  for (let time = 0; time <= TIMES; time += 1) {
    // At most one refresh in three seconds.
    await sleep(3_500)
    const refreshed = page.waitForResponse((response) => response.url().endsWith('/connections'))
    const value = await cpu(async () => {
      const path = `/v1/integration_account/${accountIds[time]}`
      const { status } = await service.call('POST', path, { tags: { time: `${time}` } })
      if (status !== 200) throw new Error(`${path}: ${status}`)
      await refreshed
    })
    if (time > 0) values.push(value)
  }
  printFigure({ name: 'live refresh of 50 rows', value: median(values), goal: 60, unit: ' ms' })
}

/** The palette is enhanced last. */
const IS_USABLE = `Boolean(document.querySelector('a[data-palette]')?.onclick)`

/** Until the script has enhanced a page of which nothing is cached. */
async function measureStart(page: Page, url: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: THROTTLING })
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const values: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    await page.goto(`${url}/console/keys`)
    await sleep(SETTLE_MS)
    const from = await readTaskMs(devtools)
    await page.goto(`${url}/console/connections`, { waitUntil: 'commit' })
    while (!(await page.evaluate(IS_USABLE))) await sleep(20)
    values.push((await readTaskMs(devtools)) - from)
  }
  printFigure({
    name: `until usable, ${THROTTLING} × throttled`,
    value: median(values),
    goal: 120,
    unit: ' ms',
  })
}

/** Measures the CPU time of the main thread from the start of some work until it is idle. */
async function watchCpu(page: Page): Promise<(work: () => Promise<void>) => Promise<number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async (work) => {
    const from = await readTaskMs(devtools)
    await work()
    await sleep(SETTLE_MS)
    return (await readTaskMs(devtools)) - from
  }
}

async function readTaskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
}
