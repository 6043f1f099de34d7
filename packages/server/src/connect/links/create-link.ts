import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import {
  validateFrameOrigins,
  validateRedirectUrls,
} from '../../access/workspaces/validate-allowlists.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import {
  type Category,
  createCustomCategory,
  isCategory,
  parseCategory,
} from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import {
  type EnsureSandboxAppDeps,
  ensureSandboxApp,
} from '../../integrations/oauth-apps/create-oauth-app.ts'
import {
  type FieldErrors,
  fieldError,
  unknownReference,
  validationFailed,
} from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId, newLinkId } from '../../platform/storage/id.ts'
import { resolveChosenScopes } from './chosen-scopes.ts'
import { createWorkspacePolicy, LINK, type LinkId } from './link.ts'
import { createLinkRevokedError } from './link-policy.ts'
import { changeLink, insertLink, type LinkStore, requireLink } from './link-store.ts'
import { recordLinkChange } from './record-link-change.ts'
import {
  CreateLink,
  LinkParams,
  LinkResponse,
  LinkSettings,
  serializeLink,
  UpdateLink,
} from './schemas.ts'

export interface CreateLinkDeps extends EnsureSandboxAppDeps {
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly links: LinkStore
  readonly baseUrl: () => string
}

export const createLinkOperation = defineOperation({
  id: 'createLink',
  sdk: 'links.create',
  method: 'POST',
  path: '/v1/link',
  tag: 'Links',
  summary: 'Create a link',
  description:
    'Through a link, customers add accounts for selected categories or for one integration definition.',
  scope: 'links:write',
  body: CreateLink,
  status: 201,
  response: LinkResponse,
  returns: 'The link.',
  errors: ['unknown_reference', 'auth_type_not_allowed', 'scope_not_allowed'],
  audit: 'link.created',
  handle: (deps: CreateLinkDeps, caller, { body }) => createLink(deps, caller, body),
})

/**
 * Creates a link (interface: Create link).
 *
 * @throws ApiError `validation_failed`, `workspace_not_accessible`, `unknown_reference`; as `resolveChosenScopes`
 */
export async function createLink(
  deps: CreateLinkDeps,
  caller: Caller,
  input: CreateLink,
): Promise<LinkResponse> {
  const { category, integrationDefinitionIds: _, scopes: chosenScopes, ...settings } = input
  const expiry = parseExpiry(input)
  validateAllowlists(input)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const categories = await parseCategories(deps, caller, workspaceId, category ?? [])
  const definitionIds = await resolveDefinitions(deps, caller, workspaceId, input)
  await ensureSandboxApp(deps, caller, workspaceId, definitionIds)
  await assertNamedApp(deps, caller, workspaceId, definitionIds, input)
  const allowed = { ...createWorkspacePolicy(workspaceId), categories, definitionIds }
  const scopes = await resolveChosenScopes(deps, caller, allowed, chosenScopes ?? {}, {
    definitionIds,
    accountIdentifier: null,
    question: { requestedId: input.integrationOAuthAppId },
    isAddition: false,
  })
  const now = deps.now()
  const link = LINK.create({
    ...LINK.fromRequest(settings),
    linkId: newLinkId(),
    workspaceId,
    name: input.linkName,
    canExpire: expiry.canExpire,
    expiresIn: expiry.seconds,
    expiresAt: expiry.canExpire ? now + expiry.seconds * 1_000 : null,
    preferOAuth: input.preferOAuth ?? false,
    categories,
    definitionIds,
    allowedOrigins: input.allowedOrigins ?? [],
    redirectUrls: input.redirectURLs ?? [],
    sessionsOnly: input.sessionsOnly ?? false,
    requireCustomerApp: input.requireCustomerApp ?? false,
    scopes,
    createdAt: now,
    updatedAt: now,
  })
  await deps.database.transaction(async (trx) => {
    await insertLink(trx, link)
    await recordLinkChange(deps, trx, caller, now, { type: 'link.created', link })
  })
  return serializeLink(link, [], deps.baseUrl())
}

function parseExpiry({ canExpire, expiresIn }: CreateLink): {
  canExpire: boolean
  seconds: number
} {
  const seconds = expiresIn ?? 0
  if (canExpire === true && seconds === 0)
    throw validationFailed(
      fieldError(
        'expiresIn',
        'required',
        'Required when canExpire is true: the number of seconds after which the link expires.',
      ),
    )
  const expires = (canExpire ?? true) && seconds > 0
  return { canExpire: expires, seconds: expires ? seconds : 0 }
}

/** The definitions that a new link names, each once. */
async function resolveDefinitions(
  deps: CreateLinkDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  { integrationDefinitionId: single, integrationDefinitionIds: several }: CreateLink,
): Promise<DefinitionId[]> {
  if (single != null && several != null)
    throw validationFailed(
      fieldError(
        'integrationDefinitionIds',
        'unexpected',
        'Send either integrationDefinitionId or integrationDefinitionIds.',
      ),
    )
  const { read } = deps.database
  const references: [field: string, reference: string][] =
    single == null
      ? (several ?? []).map((each, index) => [`integrationDefinitionIds.${index}`, each])
      : [['integrationDefinitionId', single]]
  const ids = new Set<DefinitionId>()
  for (const [field, reference] of references)
    ids.add(
      (await requireDefinition(deps, read, caller, workspaceId, reference, field)).definitionId,
    )
  return [...ids]
}

/**
 * Asserts that a link can name an app: one of the workspace, for a definition that the link allows.
 *
 * @throws ApiError `validation_failed`, `unknown_reference`
 */
async function assertNamedApp(
  { oauthApps, database }: CreateLinkDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  definitionIds: readonly DefinitionId[],
  { integrationOAuthAppId: appId, requireCustomerApp }: CreateLink,
): Promise<void> {
  if (appId == null) return
  if (requireCustomerApp === true)
    throw validationFailed(
      fieldError('integrationOAuthAppId', 'unexpected', 'Not together with requireCustomerApp.'),
    )
  const app = isId('oap', appId) ? await oauthApps.find(database.read, caller, appId) : undefined
  const isOffered =
    app !== undefined && (definitionIds.length === 0 || definitionIds.includes(app.definitionId))
  // A link is for every customer.
  if (app?.workspaceId !== workspaceId || app.accountIdentifier !== null || !isOffered)
    throw unknownReference('integrationOAuthAppId')
}

/** @throws ApiError `validation_failed`, listing every entry that could never match */
function validateAllowlists({
  allowedOrigins,
  redirectURLs,
}: Pick<CreateLink, 'allowedOrigins' | 'redirectURLs'>): void {
  const fieldErrors = {
    ...validateFrameOrigins('allowedOrigins', allowedOrigins ?? []),
    ...validateRedirectUrls('redirectURLs', redirectURLs ?? []),
  }
  if (Object.keys(fieldErrors).length > 0) throw validationFailed(fieldErrors)
}

/**
 * Parses categories of a request, each once.
 *
 * @throws ApiError `validation_failed` for unknown ones
 */
export async function parseCategories(
  deps: Pick<CreateLinkDeps, 'definitions'>,
  caller: Caller,
  workspaceId: WorkspaceId,
  inputs: NonNullable<CreateLink['category']>,
): Promise<Category[]> {
  const customCategories =
    inputs.length === 0 ? new Map() : await loadCustomCategories(deps, caller, workspaceId)
  const parsed = inputs.map((input, index) =>
    parseCategory(`category.${index}`, input, (key) => customCategories.get(key)),
  )
  const fieldErrors = parsed.filter((item): item is FieldErrors => !isCategory(item))
  if (fieldErrors.length > 0) throw validationFailed(Object.assign({}, ...fieldErrors))
  const categories = parsed.filter(isCategory)
  return [...new Map(categories.map((category) => [category.key, category])).values()]
}

/** Categories that exist only in definitions of this workspace. */
async function loadCustomCategories(
  deps: Pick<CreateLinkDeps, 'definitions'>,
  caller: Caller,
  workspaceId: WorkspaceId,
): Promise<Map<string, Category>> {
  const types = await deps.definitions.listTypes(caller, workspaceId)
  return new Map(types.map(({ key, name }) => [key, createCustomCategory(key, name)]))
}

export interface UpdateLinkDeps {
  readonly database: Database
  readonly links: LinkStore
  readonly now: () => number
  readonly baseUrl: () => string
}

export const updateLinkOperation = defineOperation({
  id: 'updateLink',
  sdk: 'links.update',
  method: 'POST',
  path: '/v1/link/:linkId',
  tag: 'Links',
  summary: 'Update a link',
  description:
    'Changes its name, limits or allowlists. Fields that are not sent keep their values. What it allows to connect cannot be changed: create another link.',
  scope: 'links:write',
  params: LinkParams,
  body: UpdateLink,
  response: LinkSettings,
  returns: 'The link.',
  errors: ['link_not_found', 'link_revoked'],
  audit: 'link.updated',
  handle: (deps: UpdateLinkDeps, caller, { params, body }) =>
    updateLink(deps, caller, params.linkId, body),
})

/**
 * Changes the name, the limits and the allowlists in the request, and leaves the others unchanged. Accounts that exceed a
 * lower limit remain. What a link allows to connect never changes, because its URL was given to others.
 *
 * @throws ApiError `validation_failed`, `link_not_found`, `link_revoked`
 */
export async function updateLink(
  deps: UpdateLinkDeps,
  caller: Caller,
  linkId: LinkId,
  input: UpdateLink,
): Promise<LinkSettings> {
  validateAllowlists(input)
  await requireLink(deps, caller, linkId)
  const now = deps.now()
  const change = { ...LINK.fromRequest(input), updatedAt: now }
  return deps.database.transaction(async (trx) => {
    const link = await changeLink(trx, caller, linkId, change)
    if (link === undefined) throw createLinkRevokedError()
    const { IntegrationAccount: _, ...response } = serializeLink(link, [], deps.baseUrl())
    const changed = Object.keys(input)
    await recordLinkChange(deps, trx, caller, now, {
      type: 'link.updated',
      link,
      changed,
      response,
    })
    return response
  })
}
