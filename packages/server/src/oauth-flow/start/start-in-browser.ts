import type { Actor } from '../../audit/audit-store.ts'
import type { AccessScope } from '../../auth/caller.ts'
import { generateCodeVerifier, generateState, hashSecret } from '../../oauth/authorize/pkce.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import { failSession } from '../session/fail-session.ts'
import { sealSessionSecrets } from '../session/session-secrets.ts'
import { newOAuthSession, newSessionSecrets } from './new-oauth-session.ts'
import { prepareAuthorizationUrl } from './prepare-authorization-url.ts'
import { dropProviderFields } from './prompt-fields.ts'
import { resolveStart } from './resolve-start.ts'
import {
  assertEndpointsAllowed,
  assertReconnectAllowed,
  validateStartConfig,
} from './validate-start.ts'

/** What a page of ours brings that has told the person what happens. */
export interface StartInBrowserInput {
  readonly input: StartOAuth
  /** The secret of the browser that goes on to the provider. */
  readonly browserSecret: string
  /** Runs in the transaction that stores the attempt. */
  readonly onInsert: (trx: Transaction, session: OAuthAttemptRow) => Promise<void>
}

/**
 * Begins an attempt in the browser that asks, without a page in between. Answers where the person signs in, or undefined
 * when the provider was asked first and said no: then the attempt has ended.
 *
 * @throws ApiError `validation_failed`, `secret_required`, and what findStartTarget and admitEndpoints throw
 */
export async function startInBrowser(
  deps: OAuthFlowDeps,
  starter: AccessScope & Actor,
  { input, browserSecret, onInsert }: StartInBrowserInput,
): Promise<string | undefined> {
  const target = await resolveStart(deps, starter, input)
  const inputConfig = dropProviderFields(input.config ?? {})
  const initialSecrets = newSessionSecrets(target, inputConfig)
  await validateStartConfig(deps.validateConfig, target, initialSecrets.config)
  await assertReconnectAllowed(deps, starter, target, inputConfig, initialSecrets.config)
  await assertEndpointsAllowed(deps, starter, target, initialSecrets.config)
  const session = newOAuthSession(target, starter, input, deps.now())
  const state = generateState()
  const codeVerifier = generateCodeVerifier()
  const secrets = { ...initialSecrets, codeVerifier }
  const row = {
    ...session,
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browserSecret),
    sealed: await sealSessionSecrets(deps.vault, session, secrets),
  }
  await deps.database.transaction(async (trx) => {
    await deps.oauthSessions.insert(trx, starter, row)
    await onInsert(trx, row)
  })
  try {
    return await prepareAuthorizationUrl(deps, { ...target, secrets }, { state, codeVerifier })
  } catch (error) {
    await failSession(deps, row, error, starter.requestId)
    return undefined
  }
}
