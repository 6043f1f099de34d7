import { createCustomCategory, isCategory, parseCategory } from '../definitions/category.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { validationFailed } from '../errors.ts'
import type { Link } from '../links/link.ts'
import { createLinkAliasStore, insertLinkAlias, isLinkAlias } from '../links/link-alias-store.ts'
import { insertLink } from '../links/link-change-store.ts'
import { type RecordLinkChangeDeps, recordLinkChange } from '../links/record-link-change.ts'
import type { Database } from '../storage/database.ts'
import { newLinkId } from '../storage/id.ts'
import { type ImportedRow, type ImportPoozleOptions, RowError } from './imported-row.ts'
import type { PoozleLink } from './poozle-source.ts'

export interface ImportLinkDeps extends RecordLinkChangeDeps {
  readonly database: Database
  readonly now: () => number
}

/**
 * Creates a link with the restrictions and the expiry of Poozle's, and its old id as an alias, in one transaction.
 *
 * @param definitionIds what the definitions of Poozle have become
 * @throws RowError, ApiError `validation_failed`
 */
export async function importLink(
  deps: ImportLinkDeps,
  { caller, workspaceId, applies }: ImportPoozleOptions,
  row: PoozleLink,
  definitionIds: ReadonlyMap<string, DefinitionId | undefined>,
): Promise<ImportedRow> {
  const alias = row.linkId
  if (!isLinkAlias(alias)) throw new RowError('its ID is not a UUID')
  const existing = await createLinkAliasStore(deps.database).findByAlias(alias)
  if (existing !== undefined) return { newId: existing, isFound: true }
  if (!applies) return { newId: undefined, isFound: false }
  const { integrationDefinitionId: oldDefinitionId } = row
  const definitionId = oldDefinitionId === null ? undefined : definitionIds.get(oldDefinitionId)
  // Without its definition, the link would offer all of them.
  if (oldDefinitionId !== null && definitionId === undefined)
    throw new RowError('its definition was not imported')
  const now = deps.now()
  const link = buildLink(row, definitionId, workspaceId, now)
  await deps.database.transaction(async (trx) => {
    await insertLink(trx, link)
    await insertLinkAlias(trx, { alias, workspaceId, linkId: link.linkId }, now)
    await recordLinkChange(deps, trx, caller, now, { type: 'link.created', link })
  })
  return { newId: link.linkId, isFound: false }
}

function buildLink(
  row: PoozleLink,
  definitionId: DefinitionId | undefined,
  workspaceId: Link['workspaceId'],
  now: number,
): Link {
  const canExpire = row.canExpire && row.expiresIn > 0
  return {
    linkId: newLinkId(),
    workspaceId,
    name: row.linkName.trim().slice(0, 200) || 'Link',
    canExpire,
    expiresIn: canExpire ? row.expiresIn : 0,
    expiresAt: canExpire ? row.createdAt + row.expiresIn * 1_000 : null,
    preferOAuth: row.preferOAuth,
    categories: row.category.map((key) => {
      const category = parseCategory('category', key, createCustomCategory)
      if (!isCategory(category)) throw validationFailed(category)
      return category
    }),
    definitionIds: definitionId === undefined ? [] : [definitionId],
    ...{ maxAccounts: null, maxAccountsPerIdentifier: null },
    ...{ allowedOrigins: [], redirectUrls: [], sessionsOnly: false },
    createdAt: row.createdAt,
    updatedAt: now,
    revokedAt: null,
  }
}
