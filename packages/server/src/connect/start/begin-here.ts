import type { Actor } from '../../audit/audit-store.ts'
import type { Reach } from '../../caller/caller.ts'
import { hashSecret, newCodeVerifier, newState } from '../../oauth/authorize/random.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import { sealAttempt } from '../attempt/attempt-secrets.ts'
import { endAttempt } from '../attempt/end-attempt.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import { consentUrl } from '../pages/consent-url.ts'
import { admitEndpoints } from './admit-endpoints.ts'
import { admitReconnect } from './admit-reconnect.ts'
import { judgeStartConfig } from './judge-start-config.ts'
import { newAttempt, newSecrets } from './new-attempt.ts'
import { withoutFilled } from './provider-fields.ts'
import { findStartTarget } from './start-target.ts'

/** What a page of ours brings that has told the person what happens. */
export interface BeginHere {
  readonly input: StartOAuth
  /** The secret of the browser that goes on to the provider. */
  readonly browserSecret: string
  /** Runs in the transaction that stores the attempt. */
  readonly keep: (trx: Transaction, attempt: OAuthAttemptRow) => Promise<void>
}

/**
 * Begins an attempt in the browser that asks, without a page in between. Answers where the person signs in, or undefined
 * when the provider was asked first and said no: then the attempt has ended.
 *
 * @throws ApiError `validation_failed`, `secret_required`, and what findStartTarget and admitEndpoints throw
 */
export async function beginHere(
  deps: ConnectDeps,
  starter: Reach & Actor,
  { input, browserSecret, keep }: BeginHere,
): Promise<string | undefined> {
  const target = await findStartTarget(deps, starter, input)
  const sent = withoutFilled(input.config ?? {})
  const begun = newSecrets(target, sent)
  await judgeStartConfig(deps.judgeConfig, target, begun.config)
  await admitReconnect(deps, starter, target, sent, begun.config)
  await admitEndpoints(deps, starter, target, begun.config)
  const attempt = newAttempt(target, starter, input, deps.now())
  const state = newState()
  const codeVerifier = newCodeVerifier()
  const secrets = { ...begun, codeVerifier }
  const row = {
    ...attempt,
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browserSecret),
    sealed: await sealAttempt(deps.vault, attempt, secrets),
  }
  await deps.database.transaction(async (trx) => {
    await deps.attempts.insert(trx, starter, row)
    await keep(trx, row)
  })
  try {
    return await consentUrl(deps, { ...target, secrets }, { state, codeVerifier })
  } catch (error) {
    await endAttempt(deps, row, error, starter.requestId)
    return undefined
  }
}
