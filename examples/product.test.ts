import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { hasChromium } from '../packages/server/test/browser/chromium.ts'
import { getFrame } from '../packages/server/test/browser/host-page.ts'
import {
  describeBrowser,
  launchBrowser,
  startSession,
} from '../packages/server/test/browser/launch-browser.ts'

const PRODUCT = fileURLToPath(new URL('./product.ts', import.meta.url))

let browser: Browser
let program: ChildProcess
let output = ''
let url: string
before(async () => {
  if (!hasChromium()) return
  program = spawn(process.execPath, [PRODUCT, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const started = Promise.withResolvers<string>()
  for (const stream of [program.stdout, program.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [, address] = /^Open (http:\S+)$/m.exec(output) ?? []
      if (address !== undefined) started.resolve(address)
    })
  program.once('exit', () => started.reject(new Error(`It has exited: ${output}`)))
  browser = await launchBrowser()
  url = await started.promise
})
after(() => {
  program?.kill('SIGKILL')
})

describeBrowser('npm run product', () => {
  it('connects a tool, shows its tickets, hides it from others, and disconnects it', async () => {
    const north = await startSession(browser)
    const south = await startSession(browser)
    await signIn(north.page, 'North Books')
    await signIn(south.page, 'South Café')
    await north.page.getByText('Connect the tool in which').waitFor()

    await north.page.getByRole('button', { name: 'Connect a tool' }).click()
    const frame = getFrame(north.page)
    await frame.getByRole('button', { name: 'Continue' }).click()
    await submitKey(north.page, 'desk_revoked_1')
    await frame.getByRole('alert').first().waitFor()
    await submitKey(north.page, 'desk_live_1')
    await frame.locator('main[data-state="connected"]').waitFor()
    // The page behind the dialog shows it before the dialog is closed: a webhook told it.
    await north.page.locator('.status.active').waitFor()
    assert.match(output, /^Webhook: account.created of customer-1$/m)
    await frame.getByRole('button', { name: 'Done' }).click()

    await north.page.getByRole('button', { name: 'Show tickets' }).click()
    await north.page.locator('li').first().waitFor()
    assert.equal(await south.page.locator('.card').count(), 1)
    await south.page.getByText('Connect the tool in which').waitFor()

    await north.page.getByRole('button', { name: 'Disconnect' }).click()
    await north.page.getByText('Connect the tool in which').waitFor()
    // The rejected key.
    assert.deepEqual(
      north.pageErrors.filter((each) => !/\b422\b/.test(each)),
      [],
    )
    await Promise.all([north.context.close(), south.context.close()])
  })

  it('stops with everything it has started after Ctrl-C', async () => {
    program.kill('SIGINT')
    const [code] = await once(program, 'exit')
    assert.deepEqual([code, /Everything has stopped/.test(output)], [0, true], output)
  })
})

async function signIn(page: Page, customer: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: customer }).click()
  await page.getByRole('heading', { name: 'Your connections' }).waitFor()
}

async function submitKey(page: Page, key: string): Promise<void> {
  const frame = getFrame(page)
  await frame.getByLabel('API key', { exact: true }).fill(key)
  await frame.locator('form button[type="submit"]').click()
}
