import type { Page } from 'playwright-core'
import { printFigure } from './figures.ts'

const KINDS = [
  { name: 'script', type: 'Script', goal: 40 },
  { name: 'style sheets', type: 'Stylesheet', goal: 12 },
  { name: 'document', type: 'Document', goal: 12 },
  { name: 'font and icons', type: 'Other', goal: undefined },
] as const
const PATHS = ['/console/connections', '/console']

/** Prints what a cold visit loads, of the heavier of the first pages, and how many other hosts it asks. */
export async function measureWeight(page: Page, url: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const types = new Map<string, string>()
  const hosts = new Set<string>()
  let bytes = new Map<string, number>()
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
    types.set(requestId, KINDS.some((kind) => kind.type === type) ? type : 'Other')
    if (!response.url.startsWith('data:')) hosts.add(new URL(response.url).host)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? 'Other'
    bytes.set(type, (bytes.get(type) ?? 0) + encodedDataLength)
  })
  const visits = []
  for (const path of PATHS) {
    bytes = new Map()
    // The live updates never end.
    await page.goto(url + path, { waitUntil: 'load' })
    await page.waitForTimeout(1_000)
    visits.push(bytes)
  }
  for (const { name, type, goal } of KINDS) {
    const value = Math.max(...visits.map((visit) => visit.get(type) ?? 0)) / 1_000
    printFigure({ name, value, unit: ' kB', ...(goal !== undefined && { goal }) })
  }
  const others = [...hosts].filter((host) => host !== new URL(url).host).length
  printFigure({ name: 'other hosts', value: others, goal: 0, unit: '', digits: 0 })
}
