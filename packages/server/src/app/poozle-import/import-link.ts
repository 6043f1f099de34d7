import { LINK, type Link } from '../../connect/links/link.ts'
import {
  createLinkAliasStore,
  insertLinkAlias,
  isLinkAlias,
} from '../../connect/links/link-alias-store.ts'
import { insertLink } from '../../connect/links/link-change-store.ts'
import {
  type RecordLinkChangeDeps,
  recordLinkChange,
} from '../../connect/links/record-link-change.ts'
import {
  createCustomCategory,
  isCategory,
  parseCategory,
} from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { validationFailed } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newLinkId } from '../../platform/storage/id.ts'
import {
  type ImportedDefinition,
  type ImportedRow,
  type ImportPoozleOptions,
  RowError,
} from './imported-row.ts'
import type { PoozleLink } from './poozle-source.ts'

export interface ImportLinkDeps extends RecordLinkChangeDeps {
  readonly database: Database
  readonly now: () => number
}

/**
 * Creates a link with the restrictions and the expiry of Poozle's, and its old id as an alias, in one transaction. It allows
 * the definitions that Poozle's page shows: its own one, or those of the workspace in its categories.
 *
 * @throws RowError, ApiError `validation_failed`
 */
export async function importLink(
  deps: ImportLinkDeps,
  { caller, workspaceId, applies, redirectUrls }: ImportPoozleOptions,
  row: PoozleLink,
  shown: ShownDefinitions,
): Promise<ImportedRow> {
  const alias = row.linkId
  if (!isLinkAlias(alias)) throw new RowError('its ID is not a UUID')
  const existing = await createLinkAliasStore(deps.database).findByAlias(alias)
  if (existing !== undefined) return { newId: existing, isFound: true }
  // Without its definitions, the link would offer all of them.
  if (shown.imported.length === 0) throw new RowError('none of its definitions was imported')
  const now = deps.now()
  const link = buildLink(row, listIds(shown), { workspaceId, redirectUrls }, now)
  const warning =
    shown.missing.length === 0 ? undefined : `it does not offer ${shown.missing.join(', ')}`
  if (!applies) return { newId: undefined, isFound: false, warning }
  await deps.database.transaction(async (trx) => {
    await insertLink(trx, link)
    await insertLinkAlias(trx, { alias, workspaceId, linkId: link.linkId }, now)
    await recordLinkChange(deps, trx, caller, now, { type: 'link.created', link })
  })
  return { newId: link.linkId, isFound: false, warning }
}

/** The definitions that the page of a link shows in Poozle. */
export interface ShownDefinitions {
  readonly imported: readonly ImportedDefinition[]
  /** The keys of those that have failed. */
  readonly missing: readonly string[]
}

const listIds = ({ imported }: ShownDefinitions) => [
  ...new Set(imported.flatMap(({ definitionId }) => definitionId ?? [])),
]

function buildLink(
  row: PoozleLink,
  definitionIds: readonly DefinitionId[],
  target: Pick<Link, 'workspaceId' | 'redirectUrls'>,
  now: number,
): Link {
  // A link that can expire after no time has expired in Poozle.
  const expiresIn = Math.max(row.expiresIn, 0)
  return LINK.create({
    linkId: newLinkId(),
    ...target,
    name: row.linkName.trim().slice(0, 200) || 'Link',
    canExpire: row.canExpire,
    expiresIn: row.canExpire ? expiresIn : 0,
    expiresAt: row.canExpire ? row.createdAt + expiresIn * 1_000 : null,
    preferOAuth: row.preferOAuth,
    categories: (row.category ?? []).map((key) => {
      const category = parseCategory('category', key, createCustomCategory)
      if (!isCategory(category)) throw validationFailed(category)
      return category
    }),
    definitionIds,
    allowedOrigins: [],
    sessionsOnly: false,
    createdAt: row.createdAt,
    updatedAt: now,
  })
}
