import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import type { AccountTarget } from '../../accounts/accounts/create-account.ts'
import type { CreateAccountThroughLink } from '../../accounts/accounts/schemas.ts'
import type { Definition, DefinitionReference } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import type { DefinitionListFilter } from '../../integrations/definitions/visible-definitions-store.ts'
import { ApiError, notFound, unknownReference } from '../../platform/errors.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { LinkPolicy } from './link.ts'
import type { LinkStore } from './link-store.ts'

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
  link: LinkPolicy,
  accountIdentifier: string | null,
): Promise<void> {
  assertOpen(link, deps.now())
  const { linkId, workspaceId, maxAccounts: max } = link
  if (
    linkId !== null &&
    max !== null &&
    (await deps.accounts.hasAtLeastLinkedAccounts(db, { linkId, workspaceId }, max))
  )
    throw new ApiError('link_full', 'This link has reached its account limit.')
  await assertBelowIdentifierLimit(deps, db, link, accountIdentifier)
}

/** Throws if the link has reached its limit for this accountIdentifier. @throws ApiError `link_identifier_full` */
export async function assertBelowIdentifierLimit(
  { accounts }: Pick<AssertLinkAcceptsDeps, 'accounts'>,
  db: Transaction,
  link: LinkPolicy,
  accountIdentifier: string | null,
): Promise<void> {
  const { linkId, workspaceId, maxAccountsPerIdentifier: max } = link
  const group = { accountIdentifier }
  if (
    linkId !== null &&
    max !== null &&
    (await accounts.hasAtLeastLinkedAccounts(db, { linkId, workspaceId }, max, group))
  )
    throw new ApiError(
      'link_identifier_full',
      'This link has reached its account limit for this accountIdentifier.',
    )
}

/** Throws if the link was closed or deleted since its page was loaded. @throws ApiError `link_not_found`; as `assertOpen` */
export async function assertStillOpen(
  deps: { readonly links: LinkStore; readonly now: () => number },
  trx: Transaction,
  access: WorkspaceAccess,
  { linkId }: LinkPolicy,
): Promise<void> {
  if (linkId === null) return
  const link = await deps.links.findIn(trx, access, linkId)
  if (link === undefined) throw notFound('link')
  assertOpen(link, deps.now())
}

/** Throws if the link is closed. @throws ApiError `link_expired`, `link_revoked` */
export function assertOpen(link: LinkPolicy, now: number): void {
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
export function isClosed({ revokedAt, expiresAt }: LinkPolicy, now: number): boolean {
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
  link: LinkPolicy,
  input: Pick<CreateAccountThroughLink, 'accountIdentifier' | 'integrationDefinitionId'>,
): Promise<AccountTarget> {
  await assertLinkAccepts(deps, deps.database.read, link, input.accountIdentifier ?? null)
  const definitionId = input.integrationDefinitionId
  const definition = await requireAllowedDefinition(deps, caller, link, definitionId)
  const { workspaceId, linkId, preferOAuth: oauthOnly } = link
  return { definition, workspaceId, oauthOnly, ...(linkId === null ? {} : { linkId }) }
}

interface RequireAllowedDefinitionDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
}

/** The definition, if the link allows it. @throws ApiError `unknown_reference` */
export async function requireAllowedDefinition(
  deps: RequireAllowedDefinitionDeps,
  caller: WorkspaceAccess,
  link: LinkPolicy,
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
}: LinkPolicy): DefinitionListFilter {
  const keys = categories.map(({ key }) => key)
  if (definitionIds.length > 0) return { workspaceId, definitionIds }
  return { workspaceId, typeKeys: keys.length === 0 ? undefined : keys }
}
