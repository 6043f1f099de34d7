import type { AccountStore } from '../accounts/account-store.ts'
import type { AccountTarget } from '../accounts/create-account.ts'
import type { CreateAccountThroughLink } from '../accounts/schemas/account-requests.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import type { Definition, DefinitionReference } from '../definitions/definition.ts'
import type { DefinitionListFilter } from '../definitions/definition-list-store.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { ApiError, unknownReference } from '../errors.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { Link } from './link.ts'

export interface AssertLinkAcceptsDeps {
  readonly accounts: AccountStore
  readonly now: () => number
}

/**
 * Throws unless the link can accept another account. The result is decisive only in the serializable transaction that
 * stores the account; an earlier call merely fails early. Pending accounts count, deleted ones do not. Accounts
 * without an identifier form one group.
 *
 * @throws ApiError `link_revoked`, `link_expired`, `link_full`, `link_identifier_full`
 */
export async function assertLinkAccepts(
  deps: AssertLinkAcceptsDeps,
  db: Transaction,
  link: Link,
  accountIdentifier: string | null,
): Promise<void> {
  assertOpen(link, deps.now())
  const { maxAccounts: max } = link
  if (max !== null && (await deps.accounts.hasAtLeastLinkedAccounts(db, link, max)))
    throw new ApiError('link_full', 'This link has reached its account limit.')
  await assertBelowIdentifierLimit(deps, db, link, accountIdentifier)
}

/** Throws if the link has reached its limit for this accountIdentifier. @throws ApiError `link_identifier_full` */
export async function assertBelowIdentifierLimit(
  { accounts }: Pick<AssertLinkAcceptsDeps, 'accounts'>,
  db: Transaction,
  link: Link,
  accountIdentifier: string | null,
): Promise<void> {
  const { maxAccountsPerIdentifier: max } = link
  if (
    max !== null &&
    (await accounts.hasAtLeastLinkedAccounts(db, link, max, { accountIdentifier }))
  )
    throw new ApiError(
      'link_identifier_full',
      'This link has reached its account limit for this accountIdentifier.',
    )
}

/** Throws if the link is closed. @throws ApiError `link_expired`, `link_revoked` */
export function assertOpen(link: Link, now: number): void {
  if (link.revokedAt !== null) throw createLinkRevokedError()
  if (isClosed(link, now))
    throw new ApiError(
      'link_expired',
      'This link has expired. No accounts can be added through it.',
    )
}

/** A revoked link cannot be used or changed. */
export function createLinkRevokedError(): ApiError {
  return new ApiError('link_revoked', 'This link was revoked. No accounts can be added through it.')
}

/** Whether a link is revoked or expired, so that no account can be added through it. */
export function isClosed({ revokedAt, expiresAt }: Link, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now)
}

/**
 * The target of an account that is going to be created through the link, if the link accepts it now.
 *
 * @throws ApiError as `assertLinkAccepts` and `requireAllowedDefinition`
 */
export async function requireLinkTarget(
  deps: AssertLinkAcceptsDeps & RequireAllowedDefinitionDeps,
  caller: WorkspaceAccess,
  link: Link,
  input: Pick<CreateAccountThroughLink, 'accountIdentifier' | 'integrationDefinitionId'>,
): Promise<AccountTarget> {
  await assertLinkAccepts(deps, deps.database.read, link, input.accountIdentifier ?? null)
  const definitionId = input.integrationDefinitionId
  const definition = await requireAllowedDefinition(deps, caller, link, definitionId)
  const { workspaceId, linkId, preferOAuth: oauthOnly } = link
  return { definition, workspaceId, linkId, oauthOnly }
}

interface RequireAllowedDefinitionDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
}

/** The definition, if the link allows it. @throws ApiError `unknown_reference` */
export async function requireAllowedDefinition(
  deps: RequireAllowedDefinitionDeps,
  caller: WorkspaceAccess,
  link: Link,
  reference: DefinitionReference,
): Promise<Definition> {
  const { workspaceId } = link
  const { typeKeys = [], definitionIds } = createAllowedDefinitionsFilter(link)
  const { read } = deps.database
  const definition = await deps.definitions.findLive(read, caller, workspaceId, reference)
  if (definition === undefined) throw unknownReference('integrationDefinitionId')
  const isAllowed =
    definitionIds === undefined
      ? typeKeys.length === 0 || typeKeys.includes(definition.typeKey)
      : definitionIds.includes(definition.definitionId)
  if (!isAllowed) throw unknownReference('integrationDefinitionId')
  return definition
}

/**
 * Selects the definitions that a link allows: those that it names, otherwise those in its categories, otherwise every
 * definition of the workspace.
 */
export function createAllowedDefinitionsFilter({
  workspaceId,
  definitionIds,
  categories,
}: Link): DefinitionListFilter {
  const keys = categories.map(({ key }) => key)
  if (definitionIds.length > 0) return { workspaceId, definitionIds }
  return { workspaceId, typeKeys: keys.length === 0 ? undefined : keys }
}
