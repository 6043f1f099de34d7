import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFactsBundle } from '../../../../test/facts-bundle.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectCreated, expectOk, waitUntilChained } from '../../../../test/test-context.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import { CreateAccountThroughLink } from '../../../accounts/accounts/schemas.ts'
import { insertSignInRequest } from '../../../accounts/agents/test/insert-sign-in-request.ts'
import type { PageTestContext } from '../../../connect/connect-page/test/page-test-context.ts'
import { RETURN_URL } from '../../../connect/oauth-flow/test/oauth-test-context.ts'
import type { RevocationTestContext } from '../../../connect/oauth-flow/test/revocation-test-context.ts'
import {
  getReturnParams,
  respondWithJson,
} from '../../../connect/oauth-flow/test/stub-provider-context.ts'
import { recordClientRefused } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthAppId } from '../../../integrations/oauth-apps/oauth-app.ts'
import { createOAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import { newId } from '../../../platform/storage/id.ts'
import { createSampleRows } from '../../../platform/storage/test/sample-rows.ts'

export type PlantContext = RevocationTestContext & PageTestContext

export interface PlantedCustomer {
  readonly identifier: string
  /** Every planted value besides the identifier contains it. */
  readonly mark: string
}

/** The ids of what belongs to a planted customer: accounts and connect sessions. */
export type PlantedIds = readonly string[]

/** Uses every operation that stores something about a customer, and adds what providers and receivers choose. */
export async function plantCustomer(
  t: PlantContext,
  customer: PlantedCustomer,
): Promise<PlantedIds> {
  const { integrationDefinitionId } = await t.createDefinition()
  const ids = [
    ...(await plantAccounts(t, customer, integrationDefinitionId)),
    await plantOAuth(t, customer),
    await plantFacts(t, customer),
  ]
  const linkPath = await t.link({ integrationDefinitionId })
  await plantSubmission(t, customer, linkPath)
  const { connectSessionId } = await plantSession(t, customer, linkPath.slice('/link/'.length))
  // In the trail, where they stay.
  await waitUntilChained(t)
  await plantRows(t, customer, ids as AccountId[], connectSessionId)
  return [...ids, connectSessionId]
}

/** A live and a deleted account, with credentials and a public field. */
async function plantAccounts(
  t: PlantContext,
  { identifier, mark }: PlantedCustomer,
  definitionId: string,
): Promise<string[]> {
  t.stubServer.serve(`/${mark}-public/check`, (_request, response) =>
    response.writeHead(200).end('{}'),
  )
  const account = {
    ...createOptionalTexts(mark),
    accountIdentifier: identifier,
    integrationAccountName: `${mark} name`,
    tags: { [`${mark}-key`]: `${mark} value` },
    config: { api_key: `${mark}-secret`, base_url: `${t.stubServer.url}/${mark}-public` },
  }
  const live = await t.createAccount(definitionId, account)
  const deleted = await t.createAccount(definitionId, account)
  const path = (id: string) => `/v1/integration_account/${id}`
  expectOk(await t.call('DELETE', path(deleted.integrationAccountId)))
  const body = { integrationAccountName: `${mark} other name` }
  expectOk(await t.call('POST', path(live.integrationAccountId), { body }))
  return [live.integrationAccountId, deleted.integrationAccountId]
}

/** Every optional text of a request that creates an account, whatever later versions add. */
function createOptionalTexts(mark: string): Record<string, string> {
  const { properties, required } = CreateAccountThroughLink
  const isText = (schema: object) => 'type' in schema && [schema.type].flat().includes('string')
  const names = Object.entries(properties)
    .filter(([name, schema]) => isText(schema) && !required.some((each) => each === name))
    .map(([name]) => name)
  return Object.fromEntries(names.map((name) => [name, `${mark} ${name}`]))
}

/** An account whose provider names a site. */
async function plantFacts(t: PlantContext, { identifier, mark }: PlantedCustomer): Promise<string> {
  const site = { value: `${mark}-site`, label: `${mark} site` }
  t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
  t.stubServer.serve('/facts', (_request, response) =>
    response.end(JSON.stringify({ choices: { cloud_id: [site] } })),
  )
  const code = createFactsBundle(t.stubServer.url)
  const { integrationDefinitionId } = await t.createDefinition({ code })
  const account = await t.createAccount(integrationDefinitionId, { accountIdentifier: identifier })
  return account.integrationAccountId
}

/** One connected account, and one session that was started only. */
async function plantOAuth(t: PlantContext, { identifier, mark }: PlantedCustomer): Promise<string> {
  t.respondToToken = respondWithJson(200, {
    access_token: `${mark}user.1`,
    refresh_token: `${mark}-refresh`,
    expires_in: 3600,
  })
  const input = { accountIdentifier: identifier, integrationAccountName: `${mark} signed in` }
  const { integrationAccountId } = getReturnParams(await t.completeFlow(input))
  assert.ok(integrationAccountId)
  await t.start(input)
  await plantOAuthApp(t, identifier)
  return integrationAccountId
}

/** The customer's own OAuth app, whose client its provider refuses: an event has the app. */
async function plantOAuthApp(t: PlantContext, identifier: string): Promise<void> {
  const app = await registerOAuthApp(t, {
    integrationDefinitionId: t.definitionId,
    accountIdentifier: identifier,
  })
  const appId = app.integrationOAuthAppId as OAuthAppId
  const oauthApps = createOAuthAppStore(t.database)
  await t.database.transaction(async (trx) => {
    const stored = await oauthApps.findInWorkspace(trx, t.workspaceId as WorkspaceId, appId)
    assert.ok(stored)
    await recordClientRefused({ oauthApps }, trx, stored, Date.now())
  })
}

/** A submission that is refused. */
async function plantSubmission(
  t: PlantContext,
  { identifier }: PlantedCustomer,
  linkPath: string,
): Promise<void> {
  const visitor = t.visitor()
  const query = new URLSearchParams({ accountIdentifier: identifier })
  const form = await visitor.get(`${linkPath}?${query}`)
  const values = { 'field.api_key': 'wrong', 'field.base_url': t.stubServer.url }
  await visitor.submit(form, values)
}

async function plantSession(
  t: PlantContext,
  { identifier, mark }: PlantedCustomer,
  linkId: string,
): Promise<{ connectSessionId: string }> {
  const redirectURL = `${RETURN_URL}?customer=${mark}`
  const allow = async (...allowedRedirectURLs: string[]) =>
    expectOk(
      await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { allowedRedirectURLs } }),
    )
  await allow(RETURN_URL, redirectURL)
  const session = expectCreated(
    await t.call('POST', '/v1/connect_session', {
      body: {
        linkId,
        accountIdentifier: identifier,
        redirectURL,
        config: { [`${mark}_field`]: mark },
        tags: { [`${mark}-key`]: `${mark} value` },
      },
    }),
  )
  await allow(RETURN_URL)
  expectCreated(
    await t.call('POST', '/v1/agent_session', { body: { accountIdentifier: identifier } }),
  )
  return session
}

/** What providers, integrations, receivers of webhooks and proxies choose. */
async function plantRows(
  t: PlantContext,
  { identifier, mark }: PlantedCustomer,
  accountIds: readonly AccountId[],
  connectSessionId: string,
): Promise<void> {
  const accountId = accountIds[0] ?? assert.fail('no account was planted')
  const sequence = await waitForSequence(t, accountId)
  const { account_scopes, webhook_endpoints, delivery_failures, previews } = createSampleRows()
  const { endpoint_id } = webhook_endpoints
  await insertSignInRequest(t, { workspaceId: t.workspaceId, expectedIdentifier: identifier })
  await t.database.transaction(async (trx) => {
    // A shop of a customer may have a host of its own.
    await trx
      .updateTable('account_tokens')
      .set({ token_host: `${mark}.example`, resource: `https://${mark}.example/mcp` })
      .where('account_id', 'in', accountIds)
      .execute()
    await trx
      .insertInto('account_scopes')
      .values({
        ...account_scopes,
        workspace_id: t.workspaceId,
        account_id: accountId,
        operation: mark,
      })
      .execute()
    await trx
      .insertInto('webhook_endpoints')
      .values({
        ...webhook_endpoints,
        workspace_id: t.workspaceId,
        due_at: null,
      })
      .execute()
    await trx
      .insertInto('delivery_failures')
      .values({ ...delivery_failures, endpoint_id, sequence, response: mark })
      .execute()
    await trx
      .updateTable('audit_events')
      .set({ ip: `${mark}-address`, detail: JSON.stringify({ text: mark }) })
      .where('subject', 'in', [accountId, connectSessionId])
      .execute()
    const { definition_id, bundle_sha256 } = await trx
      .selectFrom('definitions')
      .select(['definition_id', 'bundle_sha256'])
      .where('definition_id', '=', t.definitionId)
      .executeTakeFirstOrThrow()
    const broken = [{ integrationAccountId: accountId, code: 'credentials_rejected', error: mark }]
    await trx
      .insertInto('previews')
      .values({
        ...previews,
        preview_id: newId('pvw', Date.now()),
        workspace_id: t.workspaceId,
        definition_id,
        bundle_sha256,
        state: 'finished',
        result: JSON.stringify({ accounts: { broken } }),
        expires_at: Date.now() + 3_600_000,
      })
      .execute()
    const request = createSampleRows(Date.now()).request_log
    const planted = { host: `${mark}.example.com`, path: `/${mark}`, workspace_id: t.workspaceId }
    const attempt = await trx
      .selectFrom('connect_attempts')
      .select('request_id')
      .where('account_identifier', '=', identifier)
      .executeTakeFirst()
    await trx
      .insertInto('request_log')
      .values([
        { ...request, ...planted, account_id: accountId },
        {
          ...request,
          ...planted,
          request_log_id: newId('req', Date.now()),
          account_id: null,
          request_id: attempt?.request_id ?? null,
        },
      ])
      .execute()
    const submission = await trx
      .selectFrom('submissions')
      .selectAll()
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('submissions')
      .set({ field: mark, hint: mark })
      .where('attempt_id', '=', submission.attempt_id)
      .execute()
    await trx
      .insertInto('submissions')
      .values({
        ...submission,
        attempt_id: Buffer.from(connectSessionId).toString('base64url').slice(-22),
        connect_session_id: connectSessionId as 'cns_',
        // Visitors choose it, so that it must not decide whose the submission is.
        return_query: 'accountIdentifier=someone-else',
        hint: mark,
      })
      .execute()
    await trx
      .updateTable('oauth_sessions')
      .set({ redirect_url: `${RETURN_URL}?customer=${mark}` })
      .where('account_identifier', '=', identifier)
      .execute()
  })
}

async function waitForSequence(t: PlantContext, subject: AccountId): Promise<number> {
  while (true) {
    const { sequence } = await t.database.read
      .selectFrom('events')
      .select('sequence')
      .where('subject', '=', subject)
      .orderBy('position')
      .limit(1)
      .executeTakeFirstOrThrow()
    if (sequence !== null) return Number(sequence)
    await sleep(10)
  }
}
