import { isListed, normalizeHost } from '@linchpin/runner'
import { ApiError, fieldError } from '../../platform/errors.ts'
import type { Log } from '../../platform/http/log.ts'
import { type AuditActor, SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { isRecordedSince, record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { OAuthClient, SecretEndpointPolicy } from '../oauth/token/client-request.ts'
import type { OAuthApp } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { type IntegrationOAuthApp, MAX_COUNTED_ACCOUNTS, serializeOAuthApp } from './schemas.ts'

export interface LoadOAuthClientDeps extends SecretEndpointsDeps {
  readonly vault: Vault
}

/**
 * Loads the client of an app with its secret decrypted, which only the app's own endpoints may receive. Not cached, so
 * that a rotated secret takes effect immediately.
 */
export async function loadOAuthClient(
  deps: LoadOAuthClientDeps,
  app: SecretEndpointSettings & Pick<OAuthApp, 'clientId' | 'sealedSecret'>,
  secretUse: SecretUse = {},
): Promise<OAuthClient> {
  const { sealedSecret: sealed } = app
  const clientSecret =
    sealed === null ? undefined : await deps.vault.openText(createClientSecretContext(app), sealed)
  return createOAuthClient(deps, app, clientSecret, secretUse)
}

/** The client of an app whose secret, if it has one, is decrypted. Only the app's own endpoints may receive it. */
export function createOAuthClient(
  deps: SecretEndpointsDeps,
  app: SecretEndpointSettings & Pick<OAuthApp, 'clientId'>,
  clientSecret: string | undefined,
  secretUse: SecretUse = {},
): OAuthClient {
  const { clientId } = app
  if (clientSecret === undefined) return { clientId }
  return { clientId, clientSecret, endpoints: createSecretEndpointPolicy(deps, app, secretUse) }
}

/** The seal context of a client secret: it cannot be opened in another row. */
export function createClientSecretContext(app: Pick<OAuthApp, 'oauthAppId' | 'workspaceId'>) {
  return {
    table: 'oauth_apps',
    column: 'sealed_secret',
    workspaceId: app.workspaceId,
    rowId: app.oauthAppId,
  }
}

export interface SecretEndpointsDeps {
  readonly database: Database
  readonly log: Log
  readonly now: () => number
}

/** The error code, and the `statusReason` of an account whose tokens cannot be refreshed for this reason. */
export const SECRET_REQUIRED = 'oauth_app_secret_required'

/** The actor of a request that uses a secret, and whether a denial is already in the audit log. */
export interface SecretUse {
  readonly actor?: AuditActor
  readonly isAudited?: boolean
}

/** The fields of an app that determine the endpoints of its secret. */
export type SecretEndpointSettings = Pick<
  OAuthApp,
  'oauthAppId' | 'workspaceId' | 'secretOrigins' | 'allowedHosts'
>

/**
 * The endpoints that may receive the client secret of an app: those of its registered origins, and the hosts in its
 * `allowedHosts` (decision 021). A denial is logged and audited with the origins, which the error does not disclose.
 */
export function createSecretEndpointPolicy(
  deps: SecretEndpointsDeps,
  app: SecretEndpointSettings,
  { actor = SYSTEM_ACTOR, isAudited = false }: SecretUse = {},
): SecretEndpointPolicy {
  const allows = (url: string) => isAllowed(app, new URL(url))
  return {
    allows,
    async requireAllowed(url) {
      if (allows(url)) return
      const detail = {
        origin: new URL(url).origin,
        registered: app.secretOrigins,
        allowedHosts: app.allowedHosts,
      }
      const { oauthAppId: subject, workspaceId } = app
      deps.log.warn(
        { oauthAppId: subject, workspaceId, ...detail },
        'withheld the client secret of an OAuth app from an endpoint that it is not bound to',
      )
      const event = { action: 'oauth_app.secret_withheld', workspaceId, subject, detail } as const
      if (!isAudited)
        await deps.database.transaction(async (trx) => {
          if (
            actor === SYSTEM_ACTOR &&
            (await isRecordedSince(trx, actor, deps.now() - HOUR_MS, event))
          )
            return
          await record(trx, actor, deps.now(), event)
        })
      throw createOAuthAppSecretRequiredError()
    },
  }
}

/** Denials without a caller, such as those of token refreshes, are audited once per this interval. */
const HOUR_MS = 60 * 60_000

/** The error of a request that must include the client secret again, because the secret would be sent to a new host. */
export function createOAuthAppSecretRequiredError(message = SECRET_REQUIRED_MESSAGE): ApiError {
  return new ApiError(SECRET_REQUIRED, message, {
    errors: fieldError('clientSecret', 'required', 'Enter the client secret again.'),
  })
}

/** Whether an error denies sending a client secret. */
export function isSecretRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === SECRET_REQUIRED
}

function isAllowed(app: SecretEndpointSettings, { origin, hostname }: URL): boolean {
  return app.secretOrigins.includes(origin) || isListed(normalizeHost(hostname), app.allowedHosts)
}

const SECRET_REQUIRED_MESSAGE =
  'The client secret of this OAuth app is not bound to this endpoint of the provider. To allow the current endpoints of the integration, send clientSecret again with POST /v1/integration_oauth/{id}. If a configuration determines the host of the endpoint, also add the host to allowedHosts.'

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
  const accounts = await oauthApps.countAccounts(trx, app.oauthAppId, MAX_COUNTED_ACCOUNTS)
  const failing = serializeOAuthApp({ ...app, failingSince: now }, accounts)
  const data = { oauthApp: failing, code: CLIENT_REFUSED, accounts }
  await recordState(trx, app, now, 'oauth_app.failing', data)
}

/** Records that the provider accepts the client of an app again. */
export async function recordClientAccepted(
  { oauthApps }: RecordClientStateDeps,
  trx: Transaction,
  app: OAuthApp,
  now: number,
): Promise<void> {
  if (!(await oauthApps.markRecovered(trx, app.oauthAppId))) return
  const accounts = await oauthApps.countAccounts(trx, app.oauthAppId, MAX_COUNTED_ACCOUNTS)
  const oauthApp = serializeOAuthApp({ ...app, failingSince: null }, accounts)
  await recordState(trx, app, now, 'oauth_app.recovered', { oauthApp })
}

function recordState(
  trx: Transaction,
  app: OAuthApp,
  now: number,
  type: Extract<EventType, `oauth_app.${string}`>,
  data: { readonly oauthApp: IntegrationOAuthApp } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { oauthAppId: subject, workspaceId, accountIdentifier } = app
  const { oauthApp: _, ...detail } = data
  return record(trx, SYSTEM_ACTOR, now, {
    action: type,
    workspaceId,
    subject,
    detail,
    event: {
      type,
      subject,
      accountIdentifier,
      data,
    },
  })
}
