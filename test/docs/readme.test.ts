import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import {
  describeBrowser,
  launchBrowser,
  startSession,
} from '../../packages/server/test/browser/launch-browser.ts'
import { createDataFolder, startMain } from '../../packages/server/test/main-process.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

describeBrowser('The quick start in README.md', () => {
  const start = async (t: { after(fn: () => unknown): void }) => {
    const folder = await createDataFolder()
    const data = path.join(folder, 'data')
    mkdirSync(data)
    const env = { LINCHPIN_DATA_DIR: data, LINCHPIN_LOG_FORMAT: 'pretty' }
    return { folder, main: await startMain(t, env) }
  }
  /** Runs a command of a person in a shell, in the folder of the clone. */
  const runInShell = (command: string, cwd: string) =>
    execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8' })

  it('leads from the printed address to an active connection with three clicks, and nothing to type', async (t) => {
    const { main } = await start(t)
    const [address = ''] = /http\S+\/console\/open#\S+/.exec(main.stdout()) ?? []
    const { page, context, pageErrors } = await startSession(await launchBrowser())
    await page.goto(address)
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: 'Try Acme Sandbox' }).click()
    const customer = await opened
    // Its script opens the window of the sign-in; before it has run, a click leads there in the same tab.
    await customer.waitForLoadState()
    const popup = customer.waitForEvent('popup')
    await customer
      .getByRole('button', { name: /^Continue/ })
      .or(customer.getByRole('link', { name: /^Continue/ }))
      .click()
    await (await popup)
      .getByRole('button', { name: /^Continue as/ })
      .first()
      .click()
    await customer.getByRole('heading', { name: /Acme Sandbox is connected/ }).waitFor()
    await page.bringToFront()
    await page.getByText('Active', { exact: true }).waitFor()
    assert.match(await page.locator('main').innerText(), /linchpin\.account\('acc_/)
    assert.deepEqual(pageErrors, [])
    await context.close()
    await main.stop()
  })

  it('connects an account with its own command and the steps that it lists', async (t) => {
    const { folder, main } = await start(t)
    const command = /^curl -sS \S+\/connect_session .*$/m.exec(README)?.[0] ?? ''
    const response = runInShell(command.replace('http://127.0.0.1:3000', main.url), folder)
    await connect(JSON.parse(response).url)
    await main.stop()
  })

  it('offers the tool that it names in the list of all tools, too', async (t) => {
    const { folder, main } = await start(t)
    const command = /^curl -sS \S+\/connect_session .*$/m.exec(README)?.[0] ?? ''
    const all = command
      .replace('http://127.0.0.1:3000', main.url)
      .replace(',"integrationDefinitionIds":["acme_sandbox"]', '')
    const { page, context } = await startSession(await launchBrowser())
    await page.goto(JSON.parse(runInShell(all, folder)).url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: /^Acme Sandbox\s+Test/ }).click()
    await follow(page, listSteps())
    await context.close()
    await main.stop()
  })
})

/** The buttons that a person presses (bold) and the texts that it enters (code), in order. */
function listSteps(): string[] {
  const sentence = /^Now you are the customer: .*$/m.exec(README)?.[0] ?? ''
  const steps = [...sentence.matchAll(/\*\*(.+?)\*\*|(`.+?`)/g)].map(
    ([, name, text]) => name ?? text,
  )
  assert.ok(steps.length >= 3, sentence)
  return steps.map(String)
}

async function connect(url: string): Promise<void> {
  const { page, context, pageErrors } = await startSession(await launchBrowser())
  await page.goto(url)
  await follow(page, listSteps())
  assert.deepEqual(pageErrors, [])
  await context.close()
}

type Page = Awaited<ReturnType<typeof startSession>>['page']

async function follow(page: Page, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    const [, text] = /^`(.+)`$/.exec(step) ?? []
    if (text !== undefined) await page.getByLabel('API key', { exact: true }).fill(text)
    else
      await page
        .getByRole('button', { name: step })
        .or(page.getByRole('link', { name: step }))
        .click()
  }
  await page.getByRole('heading', { name: /Acme Sandbox is connected/ }).waitFor()
}
