import { revokeAbandoned } from '../../account/renewal/grant/revoke-abandoned.ts'
import type { Tokens } from '../../oauth/answer/token-result.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { ProvenTokens } from '../callback/prove-tokens.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'

/** What an attempt had got hold of when it was refused. */
export interface Brought {
  context?: AttemptContext
  tokens?: Tokens
  proven?: ProvenTokens
}

/** Revokes what a refused attempt brought, if it brought anything. Throws nothing; takes three seconds at most. */
export async function abandonAttempt(
  deps: ConnectDeps,
  { context, tokens, proven }: Brought,
): Promise<void> {
  if (context === undefined || tokens === undefined) return
  const { attempt, tenant, app, type, secrets } = context
  const open = async () => ({
    type,
    client: await openClient(deps, app),
    tokens: proven ?? tokens,
    values: templateValues(proven?.config ?? { ...tokens.extra, ...secrets.config }, app),
    tenant,
    definitionId: attempt.definition_id,
    identityId: proven?.identityId ?? null,
  })
  const left = { subject: attempt.attempt_id, open }
  await revokeAbandoned(deps, left)
}
