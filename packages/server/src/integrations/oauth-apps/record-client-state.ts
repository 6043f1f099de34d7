import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { OAuthApp } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface RecordClientStateDeps {
  readonly oauthApps: Pick<OAuthAppStore, 'markFailing' | 'markRecovered' | 'countAccounts'>
}

/** The reason of accounts whose OAuth app has a client that the provider refuses. */
export const CLIENT_REFUSED = 'invalid_client'

/** Records that the provider refuses the client of an app: once, however many accounts fail because of it. */
export async function recordClientRefused(
  { oauthApps }: RecordClientStateDeps,
  trx: Transaction,
  app: OAuthApp,
  now: number,
): Promise<void> {
  if (!(await oauthApps.markFailing(trx, app.oauthAppId, now))) return
  const accounts = await oauthApps.countAccounts(trx, app.oauthAppId, MAX_COUNTED)
  await recordState(trx, app, now, 'oauth_app.failing', { code: CLIENT_REFUSED, accounts })
}

/** Records that the provider accepts the client of an app again. */
export async function recordClientAccepted(
  { oauthApps }: RecordClientStateDeps,
  trx: Transaction,
  app: OAuthApp,
  now: number,
): Promise<void> {
  if (await oauthApps.markRecovered(trx, app.oauthAppId))
    await recordState(trx, app, now, 'oauth_app.recovered', {})
}

function recordState(
  trx: Transaction,
  app: OAuthApp,
  now: number,
  type: Extract<EventType, `oauth_app.${string}`>,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { oauthAppId: subject, workspaceId } = app
  return record(trx, SYSTEM_ACTOR, now, {
    action: type,
    workspaceId,
    subject,
    detail: data,
    event: { type, subject, data: { oauthApp: serializeOAuthApp(app), ...data } },
  })
}

const MAX_COUNTED = 1_000
