import { toTimestamp } from '../http/schema.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { ExtendedIntegrationDefinition, IntegrationDefinition } from './definition.ts'
import { toReleaseStage } from './release-stage.ts'

/** A row on the wire. */
export function toDefinition(row: DefinitionRow, baseUrl: string): IntegrationDefinition {
  return {
    integrationDefinitionId: row.definition_id,
    name: row.name,
    key: row.key,
    icon: row.icon === '' ? `${baseUrl}/icons/integration.svg` : row.icon,
    version: row.version,
    releaseStage: toReleaseStage(row.release_stage),
    sourceUrl: row.source_url,
    integrationType: { key: row.type_key, name: row.type_name },
    workspaceId: row.workspace_id,
    deleted: row.deleted_at === null ? null : toTimestamp(row.deleted_at),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

/** The extended form. A custom definition is its own latest and is never compared with the registry. */
export function toExtendedDefinition(
  row: DefinitionRow,
  baseUrl: string,
): ExtendedIntegrationDefinition {
  return {
    ...toDefinition(row, baseUrl),
    isLatest: true,
    latestVersion: row.version,
    latestVersionSource: row.source_url,
  }
}

/** As links show it: a `sourceUrl` may carry a signature in its query, and links go to strangers. */
export function toLinkedDefinition(row: DefinitionRow, baseUrl: string): IntegrationDefinition {
  const definition = toDefinition(row, baseUrl)
  return { ...definition, sourceUrl: definition.sourceUrl.split(/[?#]/, 1)[0] ?? '' }
}
