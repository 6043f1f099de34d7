import {
  type Account,
  acceptedAt,
  NON_REFRESHABLE_DEFAULTS,
} from '../../../accounts/accounts/account.ts'
import { type AccountCreator, verifyAccount } from '../../../accounts/accounts/create-account.ts'
import {
  createEncryptionContext,
  redactConfig,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { AlreadyConnectedError } from '../../../accounts/accounts/find-same-identity.ts'
import { reconnectAccount } from '../../../accounts/accounts/reconnect-account.ts'
import type { CheckedConfig } from '../../../accounts/accounts/verification/check-config.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Attempt } from '../../attempts/attempt.ts'
import { assertStillOpen, requireAllowedDefinition } from '../../links/link-policy.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { SubmittedForm } from '../integration-offer.ts'

/**
 * Verifies the credentials of a form, and stores them in place of those of the account, none of which is reused. Marks the
 * submission as successful in the same transaction.
 *
 * @throws AttemptEnded; ApiError `identity_mismatch`, `concurrent_update`, `link_…`, `connect_session_ended`; as `verifyAccount`
 */
export async function storeReconnect(
  deps: ConnectPageDeps,
  visitor: AccountCreator,
  submitted: SubmittedForm,
  previous: Account,
  attempt: Attempt,
): Promise<void> {
  const { page, step, parsedForm } = submitted
  const { access, link, session } = page
  const { workspaceId, definitionId } = previous
  const definition = await requireAllowedDefinition(deps, access, link, definitionId)
  const target = {
    definition,
    workspaceId,
    ...(previous.linkId === null ? {} : { linkId: previous.linkId }),
    pageSessionId: Buffer.from(session.hash).toString('base64'),
    withIdentity: true,
    facts: { previous: previous.facts, asksAgain: page.query.reconnect !== undefined },
  }
  const config = { ...parsedForm.config, ...step.givenConfig }
  const { authType } = step.authMethod
  await using verified = await verifyAccount(deps, visitor, target, { authType, config })
  if (previous.identityId !== null && verified.identity.id !== previous.identityId)
    throw new ApiError('identity_mismatch', 'These credentials are of a different user.')
  await storeVerified(deps, visitor, submitted, previous, verified, attempt)
}

/**
 * As `storeVerified`, for an account that the service has found. If it has changed since, the page asks again.
 *
 * @throws AlreadyConnectedError; as `storeVerified`
 */
export async function updateFound(
  deps: ConnectPageDeps,
  visitor: AccountCreator,
  submitted: SubmittedForm,
  found: Account,
  verified: CheckedConfig,
  attempt: Attempt,
): Promise<void> {
  try {
    await storeVerified(deps, visitor, submitted, found, verified, attempt)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'concurrent_update')
      throw new AlreadyConnectedError(verified.identity.label ?? found.name)
    throw error
  }
}

/**
 * Stores verified credentials of the same user in place of those of the account, and marks the submission as successful in the
 * same transaction.
 *
 * @throws AttemptEnded; ApiError `concurrent_update`, `link_…`, `connect_session_ended`
 */
async function storeVerified(
  deps: ConnectPageDeps,
  visitor: AccountCreator,
  { page: { access, link } }: SubmittedForm,
  previous: Account,
  verified: CheckedConfig,
  attempt: Attempt,
): Promise<void> {
  const credentials = await buildCredentials(deps, previous, verified)
  await deps.database.transaction(async (trx) => {
    await assertStillOpen(deps, trx, access, link)
    const { accountId, accountIdentifier, definitionId, linkId } = previous
    const reconnect = { access, actor: visitor, definitionId, linkId, now: deps.now() }
    await reconnectAccount(deps, trx, reconnect, previous, credentials)
    const { prepared, rotatedTokens } = verified
    if (rotatedTokens.length > 0) await deps.rotations.delete(trx, prepared, rotatedTokens)
    await attempt.succeed(trx, { accountId, accountIdentifier }, verified)
  })
  attempt.succeeded()
}

async function buildCredentials(
  deps: Pick<ConnectPageDeps, 'vault' | 'now'>,
  previous: Account,
  { prepared, config, expiresAt, identity, facts }: CheckedConfig,
) {
  return {
    ...NON_REFRESHABLE_DEFAULTS,
    ...acceptedAt(deps.now()),
    authType: prepared.authType,
    identityId: identity.id,
    identityLabel: identity.label ?? null,
    facts,
    publicConfig: redactConfig(config, prepared.fields),
    sealedConfig: await deps.vault.seal(createEncryptionContext(previous), JSON.stringify(config)),
    tokenExpiresAt: expiresAt,
  }
}
