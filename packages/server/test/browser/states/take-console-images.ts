/**
 * Takes the screenshots of the console in `docs/images`; review them before you commit them: `node
 * packages/server/test/browser/states/take-console-images.ts`
 */
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { createSignInCode } from '../../../src/console/test/console-visitor.ts'
import { expectCreated, expectOk } from '../../test-context.ts'
import { startChromium } from '../chromium.ts'
import { type SceneContext, startSceneContext } from './scene-context.ts'

const PEOPLE = [
  ['acme-logistics', 'ada@acme-logistics.example'],
  ['northwind', 'grace@northwind.example'],
  ['fabrikam', 'linus@fabrikam.example'],
  ['contoso', 'margaret@contoso.example'],
  ['tailspin-toys', 'katherine@tailspin.example'],
  ['wingtip', 'annie@wingtip.example'],
  ['globex', 'edsger@globex.example'],
  ['initech', 'barbara@initech.example'],
] as const

const folder = fileURLToPath(new URL('../../../../../docs/images/', import.meta.url))
const [t, browser] = await Promise.all([startSceneContext(), startChromium()])
try {
  const broken = await fill(t)
  const context = await browser.newContext({
    locale: 'en-GB',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 760 },
  })
  const page = await context.newPage()
  await page.goto(`${t.url}/console/open#${await createSignInCode(t)}`)
  await page.waitForURL((url) => url.pathname !== '/console/open')
  await takeImage(page, '/console/connections', 'console-connections')
  await takeImage(page, `/console/connections/${broken}`, 'console-connection')
} finally {
  await browser.close()
  await t.close()
}

/** Connections of several customers. Returns the one whose key the provider no longer accepts. */
async function fill(t: SceneContext): Promise<string> {
  await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { name: 'Example Inc.' } })
  const ids: string[] = []
  for (const [index, [accountIdentifier, integrationAccountName]] of PEOPLE.entries()) {
    const { id } = [t.github, t.manyKeys][index % 2] ?? t.github
    const account = await t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId: id,
        integrationAccountName,
        accountIdentifier,
        authType: 'Api Key',
        config: { api_key: 'ghp_0123456789abcdef' },
      },
    })
    ids.push(expectCreated(account).integrationAccountId)
  }
  const broken = ids.at(-2) ?? ''
  t.checkStub.result = { status: false, error: 'Bad credentials', code: 'invalid_credentials' }
  expectOk(await t.call('POST', `/v1/integration_account/${broken}/check`))
  t.checkStub.result = { status: true }
  return broken
}

async function takeImage(page: Page, path: string, name: string): Promise<void> {
  await page.goto(t.url + path, { waitUntil: 'load' })
  await page.waitForSelector('main h1')
  await page.evaluate('document.activeElement?.blur()')
  await page.screenshot({ path: `${folder}${name}.png` })
}
