import type { AccountId, AccountRow } from '../../../src/accounts/accounts/account.ts'
import { insertAgentCalls } from '../../../src/accounts/agents/test/insert-agent-calls.ts'
import { expectCreated } from '../../test-context.ts'
import type { Scene, SceneDriver } from './scene.ts'
import type { SceneContext } from './scene-context.ts'

/** The pages on which customers see and end their connections. */
export const PORTAL_SCENES: readonly Scene[] = [
  {
    name: 'portalStart',
    state: 'sessionStart',
    async setUp(driver) {
      await openStart(driver, 'customer-without-accounts')
      return undefined
    },
  },
  {
    name: 'portalEmpty',
    state: 'portalEmpty',
    async setUp(driver) {
      await openPortal(driver, 'customer-without-accounts')
      return undefined
    },
  },
  {
    name: 'portal',
    state: 'portal',
    async setUp(driver) {
      await openFilledPortal(driver)
      return undefined
    },
  },
  {
    name: 'portal-menu',
    state: 'portal',
    async setUp(driver) {
      await openFilledPortal(driver)
      await driver.state('portal')
      await openMenu(driver)
      return undefined
    },
  },
  {
    name: 'portalClients',
    state: 'portal',
    async setUp(driver) {
      await openPortal(driver, await addClients(driver.t))
      return undefined
    },
  },
  {
    name: 'portalAgents',
    state: 'portalAgents',
    hasLongText: true,
    async setUp(driver) {
      await openAgents(driver)
      return undefined
    },
  },
  {
    name: 'portalAgentsSaved',
    state: 'portalAgents',
    async setUp(driver) {
      await openAgents(driver)
      await driver.page.selectOption('#access', 'paused')
      await driver.send()
      await driver.page.locator('.notice.good').waitFor()
      return undefined
    },
  },
  {
    name: 'reconnectStart',
    state: 'sessionStart',
    async setUp(driver) {
      await driver.page.goto(await createReconnect(driver))
      return undefined
    },
  },
  {
    name: 'reconnect',
    state: 'form',
    async setUp(driver) {
      await driver.page.goto(await createReconnect(driver))
      await driver.send()
      return undefined
    },
  },
  {
    name: 'sessionElsewhere',
    state: 'sessionRefused',
    async setUp(driver) {
      const url = await createReconnect(driver)
      await driver.page.goto(url)
      await driver.send()
      await driver.state('form')
      await driver.context.clearCookies()
      await driver.page.goto(url)
      return undefined
    },
  },
  {
    name: 'disconnect',
    state: 'disconnect',
    async setUp(driver) {
      await openPortal(driver, await addCustomer(driver.t))
      await openMenu(driver)
      await driver.page.locator('a[href*="disconnect="]').first().click()
      return undefined
    },
  },
  {
    name: 'disconnected',
    state: 'disconnected',
    async setUp(driver) {
      await openPortal(driver, await addCustomer(driver.t))
      await openMenu(driver)
      await driver.page.locator('a[href*="disconnect="]').first().click()
      await driver.state('disconnect')
      await driver.send()
      return undefined
    },
  },
  {
    name: 'disconnectGone',
    state: 'disconnectGone',
    async setUp(driver) {
      await openPortal(driver, 'customer-without-accounts')
      const url = new URL(driver.page.url())
      url.searchParams.set('disconnect', 'acc_none')
      await driver.page.goto(url.href)
      return undefined
    },
  },
]

async function openStart({ t, page, lang }: SceneDriver, accountIdentifier: string): Promise<void> {
  const body = { linkId: await t.link(), mode: 'manage', accountIdentifier }
  const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  await page.goto(`${t.url}${new URL(url).pathname}?lang=${lang}`)
}

/** Opens the portal of a customer with an account in each state. */
export async function openFilledPortal(driver: SceneDriver): Promise<void> {
  await openPortal(driver, await addCustomer(driver.t))
}

async function openPortal(driver: SceneDriver, accountIdentifier: string): Promise<void> {
  await openStart(driver, accountIdentifier)
  await driver.state('sessionStart')
  await driver.send()
}

async function openMenu({ page }: SceneDriver): Promise<void> {
  await page.locator('.menu summary').first().click()
}

/** Adds a customer who has signed in with two clients. Returns its identifier. */
async function addClients(t: SceneContext): Promise<string> {
  const accountIdentifier = await addCustomer(t)
  for (const [client_name, client_id] of [
    ['Claude Code', 'https://claude.ai/oauth/claude-code-client-metadata'],
    ['A client with a very long name that it has chosen itself', 'registered'],
  ] as const) {
    const { agentSessionId } = expectCreated(
      await t.call('POST', '/v1/agent_session', { body: { accountIdentifier } }),
    )
    await t.database.transaction((trx) =>
      trx
        .updateTable('agent_sessions')
        .set({ client_id, client_name, created_at: Date.UTC(2026, 10, 3) })
        .where('agent_session_id', '=', agentSessionId)
        .execute(),
    )
  }
  return accountIdentifier
}

/** Opens what agents may do with an account, after three requests of an agent. */
async function openAgents(driver: SceneDriver): Promise<void> {
  const { t, page } = driver
  const accountIdentifier = await addCustomer(t)
  const session = expectCreated(
    await t.call('POST', '/v1/agent_session', { body: { accountIdentifier } }),
  )
  await insertAgentCalls(t, session)
  await openPortal(driver, accountIdentifier)
  await driver.state('portal')
  const url = new URL(page.url())
  url.searchParams.set('agents', session.integrationAccountIds[0])
  await page.goto(url.href)
}

/** The URL of a session that reconnects an account with two stored values. */
async function createReconnect({ t, lang }: SceneDriver): Promise<string> {
  const { integrationAccountId } = expectCreated(
    await t.call('POST', '/v1/integration_account', {
      body: {
        integrationDefinitionId: t.form.id,
        integrationAccountName: 'Support of the northern region',
        authType: 'Api Key',
        config: {
          api_key: 'desk_canary_key_0123',
          base_url: t.stubServer.url,
          email: 'ada.lovelace@analytical-engine.example',
          mode: 'told',
        },
      },
    }),
  )
  const body = { integrationAccountId }
  const { url } = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  return `${t.url}${new URL(url).pathname}?lang=${lang}`
}

let customers = 0

/** Adds a customer with an account in each state. Returns its identifier. */
async function addCustomer(t: SceneContext): Promise<string> {
  customers += 1
  const accountIdentifier = `customer-${customers}`
  const used = { last_used_at: Date.UTC(2026, 10, 20) }
  const label = 'ada.lovelace@analytical-engine.example'
  const changes: Partial<AccountRow>[] = [
    { ...used, identity_label: label, name: label },
    { ...used, status: 'needs_reauth', name: 'Support of the northern region' },
    { ...used, status: 'error', name: 'GitHub' },
    { status: 'pending', name: 'GitHub' },
  ]
  for (const change of changes) {
    const { integrationAccountId: id } = expectCreated(
      await t.call('POST', '/v1/integration_account', {
        body: {
          integrationDefinitionId: t.github.id,
          integrationAccountName: 'GitHub',
          authType: 'Api Key',
          config: { api_key: 'ghp_canary_0123456789' },
          accountIdentifier,
        },
      }),
    )
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ ...change, created_at: Date.UTC(2026, 10, 3) })
        .where('account_id', '=', id as AccountId)
        .execute(),
    )
  }
  return accountIdentifier
}
