import type { DefinitionRow } from '../../platform/storage/tables.ts'
import type { Definition } from './definition.ts'

/** A version of a definition with its spec. */
export type BundleVersion = Pick<Definition, 'version' | 'sourceUrl' | 'bundleSha256' | 'specJson'>

/** The columns of a version. */
export function toVersionColumns({
  version,
  sourceUrl,
  bundleSha256,
  specJson,
}: BundleVersion): Pick<DefinitionRow, 'version' | 'source_url' | 'bundle_sha256' | 'spec'> {
  return { version, source_url: sourceUrl, bundle_sha256: bundleSha256, spec: specJson }
}
