import { deriveAccountId, importAccount } from '../accounts/import-account.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { ApiError } from '../errors.ts'
import type { LinkId } from '../links/link.ts'
import { buildAccountImport, splitConfig } from './build-account-import.ts'
import { type ImportDefinitionDeps, importDefinition, importOAuthApp } from './import-definition.ts'
import { type ImportLinkDeps, importLink } from './import-link.ts'
import {
  type ImportedRow,
  type ImportPoozleOptions,
  type PoozleReportLine,
  RowError,
} from './imported-row.ts'
import type { PoozleAccount } from './poozle-source.ts'

export interface ImportPoozleDeps extends ImportDefinitionDeps, ImportLinkDeps {}

/**
 * Imports the definitions, OAuth apps, links and accounts of a workspace of Poozle, in this order. Safe to repeat: a
 * definition is found by its source URL, a link by its old id, an account by its external id. A row that fails is
 * reported, and so are the rows that need it; the others are imported.
 */
export async function importPoozle(
  deps: ImportPoozleDeps,
  options: ImportPoozleOptions,
): Promise<void> {
  const { source, from } = options
  const definitionIds = new Map<string, DefinitionId | undefined>()
  for (const definition of await source.listDefinitions(from)) {
    const { integrationDefinitionId: id } = definition
    const imported = await report(options, 'definition', id, () =>
      importDefinition(deps, options, definition),
    )
    definitionIds.set(id, imported as DefinitionId | undefined)
  }
  for (const app of await source.listOAuthApps(from)) {
    const definitionId = definitionIds.get(app.integrationDefinitionId)
    await report(options, 'oauth_app', app.integrationOAuthAppId, () =>
      importOAuthApp(deps, options, app, definitionId),
    )
  }
  const linkIds = new Map<string, LinkId | undefined>()
  for (const link of await source.listLinks(from)) {
    const imported = await report(options, 'link', link.linkId, () =>
      importLink(deps, options, link, definitionIds),
    )
    linkIds.set(link.linkId, imported as LinkId | undefined)
  }
  for await (const account of source.listAccounts(from)) {
    const linkId = account.linkId === null ? undefined : linkIds.get(account.linkId)
    const definitionId = definitionIds.get(account.integrationDefinitionId)
    await report(options, 'account', account.integrationAccountId, () =>
      importPoozleAccount(deps, options, account, definitionId, linkId),
    )
  }
}

async function report(
  { onLine }: ImportPoozleOptions,
  kind: PoozleReportLine['kind'],
  id: string,
  work: () => Promise<ImportedRow>,
): Promise<string | undefined> {
  try {
    const { newId, isFound } = await work()
    const outcome = isFound ? 'found' : newId === undefined ? 'would_import' : 'imported'
    onLine({ kind, id, outcome, newId })
    return newId
  } catch (error) {
    onLine({ kind, id, outcome: 'failed', reason: describe(error) })
    return undefined
  }
}

/** Codes and names of fields, never values. @throws what is no error of a row, such as that of a database */
function describe(error: unknown): string {
  if (error instanceof ApiError) return [error.code, ...Object.keys(error.errors)].join(' ')
  if (error instanceof RowError) return error.message
  throw error
}

async function importPoozleAccount(
  deps: ImportPoozleDeps,
  { caller, workspaceId, applies }: ImportPoozleOptions,
  account: PoozleAccount,
  definitionId: DefinitionId | undefined,
  linkId: LinkId | undefined,
): Promise<ImportedRow> {
  const body = buildAccountImport(account)
  const accountId = deriveAccountId(workspaceId, body.externalId)
  if ((await deps.accounts.find(caller, accountId)) !== undefined)
    return { newId: accountId, isFound: true }
  if (!applies) return { newId: undefined, isFound: false }
  if (definitionId === undefined) throw new RowError('its definition was not imported')
  const definition = await deps.definitions.find(caller, definitionId, workspaceId)
  if (definition === undefined) throw new RowError('its definition was not imported')
  const input = {
    ...body,
    ...splitConfig(account, definition.spec),
    ...{ workspaceId, integrationDefinitionId: definitionId },
  }
  await importAccount(deps, caller, input, linkId ?? null)
  return { newId: accountId, isFound: false }
}
