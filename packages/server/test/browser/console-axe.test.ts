import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadCatalogue } from '@linchpin/catalogue'
import type { Browser, Page } from 'playwright-core'
import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { insertAgentCalls } from '../../src/accounts/agents/test/insert-agent-calls.ts'
import { insertApproval } from '../../src/accounts/agents/test/insert-approval.ts'
import {
  closeWith,
  connectMcpAccount,
  createToolBox,
  serveToolBox,
} from '../../src/accounts/mcp-client/test/mcp-account.ts'
import { startReceiver } from '../../src/activity/webhooks/test/receiver.ts'
import { SCREENS } from '../../src/console/screens/screens.ts'
import { createSignInCode } from '../../src/console/test/console-visitor.ts'
import { changeAccountRow } from '../account-rows.ts'
import { expectCreated, expectOk } from '../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from './browser-test-context.ts'
import { hasChromium } from './chromium.ts'
import { describeBrowser, launchBrowser, startSession } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWPORTS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

/** A theme changes only colours. */
const THEMES = [
  { colorScheme: 'light', options: { resultTypes: ['violations'] } },
  {
    colorScheme: 'dark',
    options: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
  },
] as const

describeBrowser('Every screen of the console', () => {
  let t: BrowserTestContext
  let browser: Browser
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  /** By name of the parameter in paths of screens. */
  let ids: Record<string, string>
  let invitation: string
  let toolsPath: string
  before(async () => {
    if (!hasChromium()) return
    const catalogue = { ...(await loadCatalogue()), entries: [] }
    t = await startBrowserTestContext({ requestLog: 'all', catalogue })
    receiver = await startReceiver((response) => response.writeHead(500).end('It is down'))
    browser = await launchBrowser()
    await addData()
  })
  after(async () => {
    await receiver?.close()
    await t?.close()
  })

  /** Something of everything, and what fails. */
  async function addData(): Promise<void> {
    const body = { url: receiver.url, types: ['account.created'] }
    const { webhookEndpointId } = expectCreated(
      await t.call('POST', '/v1/webhook_endpoint', { body }),
    )
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Jira' })
    const accounts = []
    for (let index = 1; index < 8; index += 1)
      accounts.push(
        await t.createAccount(integrationDefinitionId, {
          accountIdentifier: `customer-${index}`,
          integrationAccountName: `a-person-with-a-long-name-${index}@department.example.com`,
          tags: { plan: 'team' },
        }),
      )
    const integrationAccountId = accounts[0]?.integrationAccountId ?? ''
    await changeAccountRow(t.database, integrationAccountId as AccountId, {
      status: 'needs_reauth',
      status_reason: 'invalid_grant',
    })
    await t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId,
        accountIdentifier: 'customer-4',
        authType: 'Api Key',
        integrationAccountName: 'Jira',
        config: { api_key: 'wrong', base_url: t.stubServer.url },
      },
    })
    const linkId = await t.link()
    expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { linkId, accountIdentifier: 'customer-1' },
      }),
    )
    const { bulkJobId } = expectCreated(
      await t.call('POST', '/v1/bulk_job', {
        body: {
          action: 'connect_session',
          integrationAccountIds: accounts
            .slice(0, 2)
            .map((account) => account.integrationAccountId),
        },
      }),
    )
    // Its events would refresh the pages while they are examined.
    while (expectOk(await t.call('GET', `/v1/bulk_job/${bulkJobId}`)).state !== 'finished')
      await sleep(100)
    await addChangedTool()
    const invited = { email: 'sam@example.com', role: 'support', workspaceId: t.workspaceId }
    const member = expectOk(await t.call('POST', '/v1/member', { body: invited }))
    invitation = member.invitationUrl
    const [event] = expectOk(await t.call('GET', '/v1/event?types=account.created'))
    await t.requestLog.flush()
    await t.statistics.flush()
    const [request] = expectOk(await t.call('GET', '/v1/request'))
    const app = { integrationDefinitionId: t.books.id, clientId: 'acme', isDefault: false }
    const created = expectCreated(await t.call('POST', '/v1/integration_oauth', { body: app }))
    const agentSession = expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { integrationAccountIds: [integrationAccountId], rules: [{ effect: 'approve' }] },
      }),
    )
    await insertAgentCalls(t, agentSession)
    ids = {
      agentSessionId: agentSession.agentSessionId,
      agentApprovalId: await insertApproval(t, {
        workspaceId: t.workspaceId,
        accountId: integrationAccountId as AccountId,
      }),
      integrationOAuthAppId: created.integrationOAuthAppId,
      bulkJobId,
      integrationAccountId,
      integrationDefinitionId: t.books.id,
      webhookEndpointId,
      eventId: event.id,
      linkId,
      memberId: member.memberId,
      requestLogId: request?.requestLogId ?? '',
    }
  }

  /** A connection at an MCP server that has changed a tool. */
  async function addChangedTool(): Promise<void> {
    const { accountId, server } = await connectMcpAccount(t, closeWith(t))
    const box = createToolBox()
    server.serve = serveToolBox(box)
    expectOk(await t.call('GET', `/v1/integration_account/${accountId}/tool`))
    const [search] = box.tools
    const description = `Finds pages, and more.\u200b ${'A long text. '.repeat(20)}`
    const inputSchema = { type: 'object', properties: { [`query_${'x'.repeat(120)}`]: {} } }
    box.tools = [
      { ...search, description, inputSchema },
      { ...search, name: 'list' },
      { name: 'x' },
    ]
    toolsPath = `/connections/${accountId}/tools`
  }

  const fill = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const id = ids[name]
      assert.ok(id !== undefined, `an ID for :${name} of ${path}`)
      return id
    })

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${t.url}/console/open#${await createSignInCode(t)}`)
    await page.waitForURL(/\/console(?:\/welcome)?(?:\?first)?$/)
    await page.goto(`${t.url}/console/elevate?to=/console/keys`)
    await page.locator('input[name=code]').fill(await createSignInCode(t))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${t.url}/console/keys`)
  }

  /** A session manages only the tokens that its person has created. */
  async function createToken(page: Page): Promise<void> {
    await page.goto(`${t.url}/console/settings/tokens/new`)
    await page.locator('main input[name=name]').fill('Nightly export')
    await page.locator('main form button.primary').click()
    await page.getByText('lp_').first().waitFor()
    await page.goto(`${t.url}/console/settings/tokens`)
    const href = await page.locator('main a[href*="/tokens/tok_"]').first().getAttribute('href')
    ids.tokenId = href?.split('/').at(-1) ?? ''
  }

  /** What axe finds, and what is wider than the window, in both themes and on a phone. */
  async function findProblems(page: Page, name: string): Promise<string[]> {
    const problems: string[] = []
    await page.locator('html:not([aria-busy])').waitFor({ state: 'attached' })
    await page.evaluate(AXE)
    for (const viewport of VIEWPORTS)
      for (const { colorScheme, options } of THEMES) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.locator('html:not([aria-busy])').waitFor({ state: 'attached' })
        const violations = await page.evaluate<string[]>(
          `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
        )
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        )
        const where = `${name} ${viewport.width} ${colorScheme}`
        problems.push(...violations.map((violation) => `${where}: ${violation}`))
        if (overflow > 0) problems.push(`${where}: ${overflow} px too wide`)
      }
    return problems
  }

  const DOWNLOADS: readonly string[] = ['/connections/jobs/:bulkJobId/pages']
  const OTHERS: Readonly<Record<string, string>> = {
    '/customer': '?identifier=customer-1',
    '/search': '?q=customer',
  }

  it('has no violation of axe and nothing wider than the window', async () => {
    const { page, context } = await startSession(browser)
    await signIn(page)
    await createToken(page)
    const problems: string[] = []
    const paths = [
      ...SCREENS.filter(({ path }) => !DOWNLOADS.includes(path)).map(
        ({ path }) => `${fill(path)}${OTHERS[path] ?? ''}`,
      ),
      ...[
        toolsPath,
        '/settings/sign-in',
        '/logs?view=events',
        '/logs?view=provider',
        '/attempts?view=codes',
      ],
    ]
    for (const path of paths) {
      const response = await page.goto(`${t.url}/console${path}`)
      if (response?.status() !== 200) problems.push(`${path}: ${response?.status()}`)
      problems.push(...(await findProblems(page, path)))
    }
    assert.deepEqual(problems, [])
    await context.close()
  })

  it('has none in the states of the form of an API: errors, test, fields, JSON, preview and review', async () => {
    const { page, context } = await startSession(browser)
    await signIn(page)
    const problems: string[] = []
    t.stubServer.serve('/axe/me', (_request, response) => response.end('{"user":{"id":7}}'))
    const press = async (button: string) => {
      await page.locator(`#own-api button[value=${button}]:not(.unseen)`).click()
      await page.locator('html:not([aria-busy])').waitFor({ state: 'attached' })
    }
    await page.goto(`${t.url}/console/integrations/new/api`)
    await press('save')
    await page.locator('.error').first().waitFor()
    problems.push(...(await findProblems(page, 'errors')))
    await page.locator('input[name=kind][value=api_key]').check()
    await page.locator('#name').fill('Axe')
    await page.locator('#base').fill(`$\{address}/axe`)
    await page.locator('#path').fill('/me')
    await page.locator('#identityId').fill('user.id')
    await page.locator('#identityLabel').fill('user.id')
    await press('fields')
    await page.locator('#field-0-title').waitFor()
    problems.push(...(await findProblems(page, 'fields')))
    await press('try')
    await page.locator('#try-api_key-api_key').fill('a-key-of-this-test')
    await page.locator('#try-api_key-address').fill(t.stubServer.url)
    await press('try')
    await page.locator('.tried .banner').waitFor()
    await press('preview')
    await page.frameLocator('iframe').locator('h1').waitFor()
    problems.push(...(await findProblems(page, 'tried')))
    await press('json')
    await page.locator('#json').waitFor()
    problems.push(...(await findProblems(page, 'JSON')))
    await press('save')
    await page.waitForURL(/def_/)
    await page.goto(`${page.url()}/entry`)
    await page.locator('#path').fill('/me?full=1')
    await press('save')
    await page.locator('#review').waitFor()
    problems.push(...(await findProblems(page, 'review')))
    assert.deepEqual(problems, [])
    await context.close()
  })

  it('has none in the palette either, nor where people sign in, join and confirm who they are', async () => {
    const { page, context } = await startSession(browser)
    const problems: string[] = []
    await page.goto(`${t.url}/console/open`)
    problems.push(...(await findProblems(page, 'sign-in')))
    await page.goto(invitation)
    await page.locator('input[name=name]').waitFor()
    problems.push(...(await findProblems(page, 'invitation')))
    await page.goto(`${t.url}/console/join`)
    problems.push(...(await findProblems(page, 'join')))
    await page.goto(`${t.url}/console/open#${await createSignInCode(t)}`)
    await page.waitForURL(/\/console(?:\/welcome)?(?:\?first)?$/)
    await page.goto(`${t.url}/console/elevate`)
    problems.push(...(await findProblems(page, 'elevation')))
    await page.keyboard.press('Control+k')
    await page.locator('dialog.palette[open] input').waitFor()
    await page.keyboard.type('customer-1')
    await page.locator('[role=option]').first().waitFor()
    problems.push(...(await findProblems(page, 'palette')))
    assert.deepEqual(problems, [])
    await context.close()
  })
})
