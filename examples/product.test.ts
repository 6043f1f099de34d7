import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Linchpin } from '@linchpin/sdk'
import type { Browser, Page } from 'playwright-core'
import { hasChromium } from '../packages/server/test/browser/chromium.ts'
import { getFrame } from '../packages/server/test/browser/host-page.ts'
import {
  describeBrowser,
  launchBrowser,
  startSession,
} from '../packages/server/test/browser/launch-browser.ts'

const PRODUCT = fileURLToPath(new URL('./product.ts', import.meta.url))
const GOOD_KEY = 'good'
const BAD_KEY = 'bad'

let browser: Browser
let program: ChildProcess
let output = ''
let url: string
let owner: Linchpin

describeBrowser('npm run product', () => {
  before(async () => {
    if (!hasChromium()) return
    program = spawn(process.execPath, [PRODUCT, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as in a terminal.
      detached: true,
    })
    const started = Promise.withResolvers<void>()
    for (const stream of [program.stdout, program.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Press Ctrl-C')) started.resolve()
      })
    program.once('exit', () => started.reject(new Error(`It has exited: ${output}`)))
    browser = await launchBrowser()
    await started.promise
    url = readOutput(/^Open (http:\S+)$/m)
    const token = (await readFile(readOutput(/^Owner's token +(\S+)$/m), 'utf8')).trim()
    owner = new Linchpin({ baseUrl: readOutput(/^Linchpin +(http:\S+)$/m), token, maxRetries: 20 })
    await warmUp()
  })
  after(() => {
    // With the Linchpin that it has started, unless the last test has stopped both.
    if (program?.pid !== undefined && program.exitCode === null)
      process.kill(-program.pid, 'SIGKILL')
  })

  it('connects a tool, shows its tickets, and disconnects it', async () => {
    const { page, context, pageErrors } = await startSession(browser)
    await signIn(page, 'North Books')
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    const frame = getFrame(page)
    await frame.getByRole('link', { name: 'Use an API key' }).click()
    await submitKey(page, BAD_KEY)
    await frame.getByRole('alert').first().waitFor()
    await submitKey(page, GOOD_KEY)
    await frame.locator('main[data-state="connected"]').waitFor()
    // While the dialog is still open: a webhook told the page behind it.
    await page.locator('.status.active').waitFor()
    assert.match(output, /^Webhook: account.created of customer-1$/m)
    await frame.getByRole('button', { name: 'Done' }).click()

    await page.getByText('Printer on fire').waitFor()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Connect the tool in which').waitFor()
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    await frame.getByRole('button', { name: 'Continue to Acme Sandbox' }).waitFor()
    // The rejected key is a 422.
    assert.deepEqual(
      pageErrors.filter((each) => !/\b422\b/.test(each)),
      [],
    )
    await context.close()
  })

  it('connects a tool by a sign-in, whose tokens it never sees', async () => {
    const { page, context } = await startSession(browser)
    await signIn(page, 'North Books')
    await page.getByRole('button', { name: 'Connect a tool' }).click()
    const frame = getFrame(page)
    const opened = context.waitForEvent('page')
    await frame.getByRole('button', { name: 'Continue to Acme Sandbox' }).click()
    await (await opened).getByRole('button', { name: 'Continue as Ada' }).click()
    await page.getByText('Printer on fire').waitFor()
    await frame.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Connect the tool in which').waitFor()
    await context.close()
  })

  it('shows that a connection has to be reconnected, and reconnects it', async () => {
    const accountId = await importAccount(BAD_KEY)
    const { page, context } = await startSession(browser)
    await signIn(page, 'North Books')
    await page.getByText('Reconnect to continue').waitFor()
    await page.getByRole('button', { name: 'Reconnect' }).click()
    await submitKey(page, GOOD_KEY)
    await page.locator('.status.active').waitFor()
    assert.equal((await owner.accounts.get(accountId)).status, 'active')
    await owner.accounts.delete(accountId)
    await context.close()
  })

  it('offers to try again when the tool does not respond', async () => {
    const accountId = await importAccount('flaky')
    const { page, context } = await startSession(browser)
    await signIn(page, 'North Books')
    await page.getByRole('alert').getByText('did not respond as expected').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Printer on fire').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await owner.accounts.delete(accountId)
    await context.close()
  })

  it('keeps the connections of a customer from others', async () => {
    const accountId = await importAccount(GOOD_KEY)
    const { page, context } = await startSession(browser)
    await signIn(page, 'South Café')
    await page.getByText('Connect the tool in which').waitFor()
    const path = `/api/connections/${accountId}`
    for (const [method, suffix] of [
      ['GET', '/tickets'],
      ['POST', '/reconnect'],
      ['DELETE', ''],
    ] as const) {
      const { status } = await page.request
        .fetch(url + path + suffix, { method })
        .then((response) => ({ status: response.status() }))
      assert.equal(status, 404, `${method} ${suffix}`)
      assert.equal((await fetch(url + path + suffix, { method })).status, 401)
    }
    assert.equal((await owner.accounts.get(accountId)).deleted, null)
    await owner.accounts.delete(accountId)
    const signedIn = await page.request.post(`${url}/api/sign-in`, { data: { id: 'customer-1' } })
    assert.equal(signedIn.status(), 200)
    assert.equal((await page.request.get(`${url + path}/tickets`)).status(), 404)
    assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body: '{}' })).status, 401)
    await context.close()
  })

  it('stops with everything it has started after Ctrl-C', async () => {
    // The terminal sends the signal to the whole group, and npm forwards it as well.
    process.kill(-(program.pid ?? assert.fail()), 'SIGINT')
    program.kill('SIGINT')
    const [code] = await once(program, 'exit')
    assert.deepEqual([code, /Everything has stopped/.test(output)], [0, true], output)
  })
})

/** On a busy machine, the first call of a bundle after a start may be 503 `overloaded`. The client retries it. */
async function warmUp(): Promise<void> {
  const { status } = await owner.accounts.check({
    integrationDefinitionId: 'acme_sandbox',
    authType: 'Api Key',
    config: { api_key: GOOD_KEY },
  })
  assert.equal(status, true)
}

function readOutput(pattern: RegExp): string {
  return pattern.exec(output)?.[1] ?? assert.fail(output)
}

/** Creates an account of the first customer without a check, as a migration does. */
async function importAccount(key: string): Promise<string> {
  const { integrationAccountId } = await owner.accounts.import({
    integrationDefinitionId: 'acme_sandbox',
    integrationAccountName: 'Imported',
    authType: 'Api Key',
    config: { api_key: key },
    accountIdentifier: 'customer-1',
    externalId: key,
  })
  return integrationAccountId
}

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
