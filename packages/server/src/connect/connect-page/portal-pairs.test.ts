import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { expectCreated, type TestContext, testContext } from '../../../test/test-context.ts'
import type { AccountRow } from '../../accounts/accounts/account.ts'
import {
  createPortalAccountStore,
  type PortalAccountStore,
} from '../../accounts/accounts/portal-account-store.ts'
import { createAgentSessionStore } from '../../accounts/agents/agent-session-store.ts'
import { createAuditStore } from '../../activity/audit/audit-store.ts'
import { getMessages } from '../../platform/i18n/language.ts'
import { newId } from '../../platform/storage/id.ts'
import { createVisitedSessionStore } from '../connect-sessions/connect-session-store.ts'
import { createSharedLinkStore } from '../links/link-store.ts'
import type { PageContext } from './page/page-context.ts'
import { getPortal } from './portal.ts'
import { DESK_SPEC } from './test/desk.ts'

const PAIRS = 1_000

/** Identifiers that something could take for one another. */
const VARIANTS: readonly ((identifier: string) => string)[] = [
  (identifier) => `${identifier}0`,
  (identifier) => identifier.toUpperCase(),
  (identifier) => `${identifier} `,
  (identifier) => identifier.replace('-', '_'),
  (identifier) => `${identifier}%`,
  (identifier) => `${identifier}\u0301`,
  (identifier) => `${identifier}' or '1'='1`,
  (identifier) => identifier.replace('c', '\u0441'),
]

describe('The portals of 1,000 pairs of customers', () => {
  let t: TestContext
  let page: PageContext
  let portalAccounts: PortalAccountStore
  const customers: { readonly identifier: string; readonly row: AccountRow }[] = []
  before(async () => {
    t = await testContext()
    portalAccounts = createPortalAccountStore(t.database)
    page = await createPage()
    await addCustomers()
  })
  after(() => t.close())

  const createPage = async (): Promise<PageContext> => {
    const body = { linkName: 'a' }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
    const { connectSessionId } = expectCreated(
      await t.call('POST', '/v1/connect_session', {
        body: { linkId, mode: 'manage', accountIdentifier: 'customer' },
      }),
    )
    const connectSession = await createVisitedSessionStore(t.database).find(connectSessionId)
    const shared = await createSharedLinkStore(t.database).find(linkId)
    assert.ok(connectSession && shared)
    const { userId, workspaceId } = shared.workspace
    return {
      ...shared,
      mode: 'page',
      language: 'en',
      messages: getMessages('en'),
      theme: undefined,
      origins: [],
      logo: undefined,
      given: {},
      workspaceName: 'Acme',
      connectSession,
      pageId: connectSessionId,
      access: { userId, boundWorkspaceId: workspaceId },
      query: NO_QUERY,
      session: { kind: 'page', secret: 'A'.repeat(43), hash: new Uint8Array(32) },
    }
  }
  /** Two per pair, whose names, users and ids occur nowhere else. */
  const addCustomers = async () => {
    const { integrationDefinitionId } = await t.createDefinition({
      name: 'Desk',
      code: createMiniBundle(DESK_SPEC),
    })
    const now = Date.now()
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const identifier = `customer-${pair}`
      const variant = VARIANTS[pair % VARIANTS.length]?.(identifier) ?? ''
      for (const [index, accountIdentifier] of [identifier, variant].entries()) {
        const secret = `private-${pair}-${index}-end`
        const row = {
          account_id: newId('acc', now),
          workspace_id: page.workspace.workspaceId,
          definition_id: integrationDefinitionId,
          name: `Name ${secret}`,
          auth_type: 'Api Key',
          account_identifier: accountIdentifier,
          identity_label: `${secret}@example.com`,
          credential_version: 1,
          status: 'active',
          tags: '{}',
          created_at: now,
          updated_at: now,
        } as AccountRow
        customers.push({ identifier: accountIdentifier, row })
      }
    }
    for (let start = 0; start < customers.length; start += 200)
      await t.database.transaction((trx) =>
        trx
          .insertInto('accounts')
          .values(customers.slice(start, start + 200).map(({ row }) => row))
          .execute(),
      )
  }
  const render = async (accountIdentifier: string, query: Partial<PageContext['query']> = {}) => {
    assert.ok(page.connectSession)
    const screen = await getPortal(
      {
        portalAccounts,
        database: t.database,
        agentSessions: createAgentSessionStore(t.database),
        audit: createAuditStore(t.database),
        now: Date.now,
      },
      {
        ...page,
        connectSession: { ...page.connectSession, accountIdentifier },
        query: { ...page.query, ...query },
      },
    )
    return screen.main.text
  }

  it('contain 0 bytes of the other, in the list, after its account, and before disconnecting it', async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const both = customers.slice(2 * pair, 2 * pair + 2)
      // Each variant is seen from both sides.
      const [own, other] = Math.floor(pair / VARIANTS.length) % 2 === 0 ? both : both.reverse()
      assert.ok(own && other)
      const list = await render(own.identifier)
      assert.ok(list.includes(own.row.name) && list.includes(own.row.account_id), 'its own')
      const texts = [list]
      for (const name of ['disconnect', 'agents'] as const)
        texts.push(await render(own.identifier, { [name]: other.row.account_id }))
      if (pair % 7 === 0) texts.push(await render(own.identifier, { after: other.row.account_id }))
      for (const text of texts)
        for (const foreign of [other.row.name, other.row.identity_label, other.row.account_id])
          assert.ok(foreign && !text.includes(foreign), `${own.identifier}: ${foreign}`)
    }
  })
})

const NO_QUERY: PageContext['query'] = {
  accountIdentifier: undefined,
  redirectURL: undefined,
  integrationKeys: undefined,
  integration: undefined,
  auth: undefined,
  lang: undefined,
  theme: undefined,
  attempt: undefined,
  q: undefined,
  category: undefined,
  isFixed: true,
}
