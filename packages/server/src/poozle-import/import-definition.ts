import type { ImportAccountDeps } from '../accounts/plan-import.ts'
import { type CreateDefinitionDeps, createDefinition } from '../definitions/create-definition.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { requireDefinition } from '../definitions/find-definition.ts'
import { createOAuthApp } from '../oauth-apps/create-oauth-app.ts'
import { type ImportedRow, type ImportPoozleOptions, RowError } from './imported-row.ts'
import type { PoozleDefinition, PoozleOAuthApp } from './poozle-source.ts'

export interface ImportDefinitionDeps extends CreateDefinitionDeps, ImportAccountDeps {}

/**
 * Downloads the bundle of a definition and creates the definition, unless one is mapped or has the same source URL.
 *
 * @throws ApiError as `createDefinition`
 */
export async function importDefinition(
  deps: ImportDefinitionDeps,
  { caller, workspaceId, map, applies }: ImportPoozleOptions,
  { key, name, sourceUrl, integrationType }: PoozleDefinition,
): Promise<ImportedRow> {
  const { read } = deps.database
  const mapped = map.get(key)
  if (mapped !== undefined) {
    const definition = await requireDefinition(deps, read, caller, workspaceId, mapped)
    return { newId: definition.definitionId, isFound: true }
  }
  const definitions = await deps.definitions.listAll(caller, { workspaceId })
  const existing = definitions.find(
    (one) => one.workspaceId === workspaceId && one.sourceUrl === sourceUrl,
  )
  if (existing !== undefined) return { newId: existing.definitionId, isFound: true }
  if (!applies) return { newId: undefined, isFound: false }
  const input = { name, sourceUrl, integrationType, workspaceId }
  const created = await createDefinition(deps, caller, input)
  return { newId: created.integrationDefinitionId, isFound: false }
}

/**
 * Creates an OAuth app, unless the definition has one.
 *
 * @throws RowError if the definition has an app with another client, which could not refresh the tokens
 */
export async function importOAuthApp(
  deps: ImportDefinitionDeps,
  { caller, workspaceId, applies }: ImportPoozleOptions,
  { integrationOAuthAppName, clientId, clientSecret, scopes }: PoozleOAuthApp,
  definitionId: DefinitionId | undefined,
): Promise<ImportedRow> {
  if (definitionId === undefined) {
    if (!applies) return { newId: undefined, isFound: false }
    throw new RowError('its definition was not imported')
  }
  const { read } = deps.database
  const existing = await deps.oauthApps.findForDefinition(read, caller, workspaceId, definitionId)
  if (existing !== undefined && existing.clientId !== clientId)
    throw new RowError('the definition has an OAuth app with another client ID')
  if (existing !== undefined) return { newId: existing.oauthAppId, isFound: true }
  if (!applies) return { newId: undefined, isFound: false }
  const created = await createOAuthApp(deps, caller, {
    integrationDefinitionId: definitionId,
    integrationOAuthAppName,
    clientId,
    ...(clientSecret === '' ? {} : { clientSecret }),
    scopes: scopes
      .split(',')
      .map((scope) => scope.trim())
      .filter(Boolean),
    workspaceId,
  })
  return { newId: created.integrationOAuthAppId, isFound: false }
}
