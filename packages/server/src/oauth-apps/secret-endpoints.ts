import { isListed, normalizeHost } from '@linchpin/runner'
import { type Actor, isRecordedSince, recordAudit, SYSTEM_ACTOR } from '../audit/audit-store.ts'
import { ApiError, fieldError } from '../errors.ts'
import type { Log } from '../http/log.ts'
import type { SecretEndpoints } from '../oauth/token/client-request.ts'
import type { Database } from '../storage/database.ts'
import type { OAuthAppRow } from '../storage/tables.ts'

export interface SecretEndpointsDeps {
  readonly database: Database
  readonly log: Log
  readonly now: () => number
}

/** The code of the refusal, and the `statusReason` of an account whose tokens cannot be refreshed because of it. */
export const SECRET_REQUIRED = 'oauth_app_secret_required'

/** On whose behalf a secret is about to be sent, and whether a refusal is already in the audit trail. */
export interface SecretUse {
  readonly actor?: Actor
  readonly isAudited?: boolean
}

/** What an app says about the endpoints of its secret. */
export type SecretOwner = Pick<
  OAuthAppRow,
  'oauth_app_id' | 'workspace_id' | 'secret_origins' | 'allowed_hosts'
>

/**
 * The endpoints that may receive the client secret of an app: those of the origins that it was entered for, and those on
 * the app's `allowedHosts` (decision 021). A refusal is logged and recorded with the origins, which the answer does not name.
 */
export function secretEndpoints(
  deps: SecretEndpointsDeps,
  app: SecretOwner,
  { actor = SYSTEM_ACTOR, isAudited = false }: SecretUse = {},
): SecretEndpoints {
  const allows = (url: string) => isAllowed(app, new URL(url))
  return {
    allows,
    async requireAllowed(url) {
      if (allows(url)) return
      const detail = {
        origin: new URL(url).origin,
        registered: JSON.parse(app.secret_origins ?? '[]'),
        allowedHosts: parseAllowedHosts(app),
      }
      const { oauth_app_id: subject, workspace_id: workspaceId } = app
      deps.log.warn(
        { oauthAppId: subject, workspaceId, ...detail },
        'the client secret of an OAuth app was withheld from an endpoint that it was not entered for',
      )
      const event = { action: 'oauth_app.secret_withheld', workspaceId, subject, detail } as const
      if (!isAudited)
        await deps.database.transaction(async (trx) => {
          if (
            actor === SYSTEM_ACTOR &&
            (await isRecordedSince(trx, actor, deps.now() - HOUR_MS, event))
          )
            return
          await recordAudit(trx, actor, deps.now(), event)
        })
      throw oauthAppSecretRequired()
    },
  }
}

/** What nobody requested, such as each use of an account, is recorded once in this time. */
const HOUR_MS = 60 * 60_000

/** The hosts that may receive the secret where a configuration chooses the host. */
export function parseAllowedHosts({ allowed_hosts }: Pick<OAuthAppRow, 'allowed_hosts'>): string[] {
  return JSON.parse(allowed_hosts ?? '[]') as string[]
}

/** The secret has to be entered again, since it would go where it was not entered for. */
export function oauthAppSecretRequired(message = SECRET_REQUIRED_MESSAGE): ApiError {
  return new ApiError(SECRET_REQUIRED, message, {
    errors: fieldError('clientSecret', 'required', 'Enter the client secret again.'),
  })
}

/** Whether an error is the refusal to send a client secret. */
export function isSecretRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === SECRET_REQUIRED
}

function isAllowed(app: SecretOwner, { origin, hostname }: URL): boolean {
  const origins = JSON.parse(app.secret_origins ?? '[]') as string[]
  return origins.includes(origin) || isListed(normalizeHost(hostname), parseAllowedHosts(app))
}

const SECRET_REQUIRED_MESSAGE =
  'The client secret of this OAuth app was not entered for this endpoint of the provider. To accept the endpoints of the integration as it is now, send clientSecret again with POST /v1/integration_oauth/{id}. Where a configuration chooses the host of the endpoint, also list the host in allowedHosts.'
