import { toTimestamp } from '../http/schema.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { ExtendedIntegrationDefinition, IntegrationDefinition } from './definition.ts'
import type { DefinitionSummaryRow } from './definition-store.ts'
import { serializeReleaseStage } from './release-stage.ts'

/** Converts a row to the API representation. */
export function serializeDefinition(
  row: DefinitionSummaryRow,
  baseUrl: string,
): IntegrationDefinition {
  return {
    integrationDefinitionId: row.definition_id,
    name: row.name,
    key: row.key,
    icon: toAbsoluteUrl(row.icon === '' ? '/icons/integration.svg' : row.icon, baseUrl),
    version: row.version,
    releaseStage: serializeReleaseStage(row.release_stage),
    sourceUrl: toAbsoluteUrl(row.source_url, baseUrl),
    integrationType: { key: row.type_key, name: row.type_name },
    workspaceId: row.workspace_id,
    deleted: row.deleted_at === null ? null : toTimestamp(row.deleted_at),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

/** The extended form. A custom definition has no version but its own, which is therefore the latest. */
export function serializeExtendedDefinition(
  row: DefinitionRow,
  baseUrl: string,
): ExtendedIntegrationDefinition {
  return {
    ...serializeDefinition(row, baseUrl),
    isLatest: row.latest_version === null || row.latest_version === row.version,
    latestVersion: row.latest_version ?? row.version,
    latestVersionSource: toAbsoluteUrl(row.latest_source_url ?? row.source_url, baseUrl),
  }
}

/** The form inside links, which are public: removes the query of `sourceUrl`, which may contain a signature. */
export function serializeLinkedDefinition(
  row: DefinitionSummaryRow,
  baseUrl: string,
): IntegrationDefinition {
  const definition = serializeDefinition(row, baseUrl)
  return { ...definition, sourceUrl: definition.sourceUrl.split(/[?#]/, 1)[0] ?? '' }
}

/** URLs of this service are stored without the base URL, which may change. */
function toAbsoluteUrl(url: string, baseUrl: string): string {
  return url.startsWith('/') ? baseUrl + url : url
}
