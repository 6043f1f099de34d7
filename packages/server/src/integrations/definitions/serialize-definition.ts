import { toTimestamp } from '../../platform/http/schema.ts'
import type { Definition, DefinitionSummary } from './definition.ts'
import type {
  ExtendedIntegrationDefinition,
  IntegrationDefinition,
  ReleaseStage,
} from './schemas.ts'

const STAGE_NAMES = {
  ALPHA: 'Alpha',
  BETA: 'Beta',
  GENERALLY_AVAILABLE: 'Generally available',
  CUSTOM: 'Custom',
  DEPRECATED: 'Deprecated',
} as const

export type StageKey = keyof typeof STAGE_NAMES

/** Converts a stored stage to the API representation. */
export function serializeReleaseStage(key: string): ReleaseStage {
  return { key, name: STAGE_NAMES[key as StageKey] ?? key }
}

/** Converts a row to the API representation. */
export function serializeDefinition(
  row: DefinitionSummary,
  baseUrl: string,
): IntegrationDefinition {
  return {
    integrationDefinitionId: row.definitionId,
    name: row.name,
    key: row.key,
    icon: toAbsoluteUrl(row.icon === '' ? '/icons/integration.svg' : row.icon, baseUrl),
    version: row.version,
    releaseStage: serializeReleaseStage(row.releaseStage),
    sourceUrl: toAbsoluteUrl(row.sourceUrl, baseUrl),
    integrationType: { key: row.typeKey, name: row.typeName },
    workspaceId: row.workspaceId,
    deleted: row.deletedAt === null ? null : toTimestamp(row.deletedAt),
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  }
}

/** The extended form. A custom definition has no version but its own, which is therefore the latest. */
export function serializeExtendedDefinition(
  row: Definition,
  baseUrl: string,
): ExtendedIntegrationDefinition {
  return {
    ...serializeDefinition(row, baseUrl),
    isLatest: row.latestVersion === null || row.latestVersion === row.version,
    latestVersion: row.latestVersion ?? row.version,
    latestVersionSource: toAbsoluteUrl(row.latestSourceUrl ?? row.sourceUrl, baseUrl),
  }
}

/** The form inside links, which are public: removes the query of `sourceUrl`, which may contain a signature. */
export function serializeLinkedDefinition(
  row: DefinitionSummary,
  baseUrl: string,
): IntegrationDefinition {
  const definition = serializeDefinition(row, baseUrl)
  return { ...definition, sourceUrl: definition.sourceUrl.split(/[?#]/, 1)[0] ?? '' }
}

/** URLs of this service are stored without the base URL, which may change. */
function toAbsoluteUrl(url: string, baseUrl: string): string {
  return url.startsWith('/') ? baseUrl + url : url
}
