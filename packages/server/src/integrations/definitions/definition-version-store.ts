import type { DefinitionRow } from '../../platform/storage/tables.ts'
import type { Definition } from './definition.ts'
import { computeVersionChecksum } from './visible-definitions-store.ts'

/** A version of a definition with its spec. */
export type BundleVersion = Pick<Definition, 'version' | 'sourceUrl' | 'bundleSha256' | 'specJson'>

type VersionColumns = Pick<
  DefinitionRow,
  'version' | 'source_url' | 'bundle_sha256' | 'spec' | 'row_checksum'
>

/** The columns of a version of this definition, with their checksum, which includes the id. */
export function toVersionColumns(
  definitionId: Definition['definitionId'],
  { version, sourceUrl, bundleSha256, specJson }: BundleVersion,
): VersionColumns {
  const columns = { version, source_url: sourceUrl, bundle_sha256: bundleSha256, spec: specJson }
  const row_checksum = computeVersionChecksum({ definition_id: definitionId, ...columns })
  return { ...columns, row_checksum }
}
