import { type Id, newId } from '../id.ts'
import type { Tables } from '../tables.ts'

/** Rows of the catalogue's tables, for tests. */
export function createSampleCatalogueRows(
  now: number,
  ids: { workspace_id: Id<'wsp'>; definition_id: Id<'def'> },
): Pick<
  Tables,
  | 'definition_pins'
  | 'definition_epochs'
  | 'definition_icons'
  | 'previous_versions'
  | 'catalogue_versions'
  | 'registries'
  | 'instance_keys'
  | 'previews'
> {
  const bundle_sha256 = Buffer.from(ids.definition_id).toString('hex')
  const code = { version: '1.0.0', source_url: '/catalogue/acme/1.0.0/index.js', bundle_sha256 }
  const spec = '{"auth_specification":{}}'
  return {
    definition_pins: { ...ids, ...code, spec, updated_at: now, update_due: 0 },
    definition_epochs: { workspace_id: ids.workspace_id, epoch: bundle_sha256 },
    definition_icons: {
      ...ids,
      path: `/icons/${bundle_sha256}.png`,
      media_type: 'image/png',
      content: new Uint8Array([1, 2, 3]),
      updated_at: now,
    },
    previous_versions: { ...ids, ...code, position: 1, spec, used_until: now },
    catalogue_versions: { definition_id: ids.definition_id, ...code },
    registries: {
      url: `https://example.com/${ids.definition_id}`,
      etag: null,
      document: null,
      fetched_at: null,
      next_at: now,
    },
    instance_keys: {
      name: `key of ${ids.definition_id}`,
      public_key: 'AAAA',
      sealed: new Uint8Array([1, 2, 3]),
      created_at: now,
    },
    previews: {
      preview_id: newId('pvw', now),
      ...ids,
      bundle_sha256,
      state: 'running',
      result: '{}',
      alive_until: now,
      created_at: now,
      expires_at: now + 1,
    },
  }
}
