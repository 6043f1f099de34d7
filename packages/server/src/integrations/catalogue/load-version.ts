import type { Catalogue } from '@linchpin/catalogue'
import type { EgressGateway, Tenant } from '@linchpin/runner'
import { notFound } from '../../platform/errors.ts'
import type { BundleStore } from '../definitions/bundle-store.ts'
import { downloadBundle } from '../definitions/download-bundle.ts'
import type { OfferedVersion } from './offered-integration.ts'

export interface LoadVersionDeps {
  readonly bundles: BundleStore
  readonly bundledCatalogue: Catalogue
  readonly egressGateway: EgressGateway
}

/**
 * Loads the bytes of an offered version: stored bytes with its digest, bundled files for a local path, otherwise a
 * download. The caller must compare the digest.
 *
 * @throws ApiError those of downloadBundle; `integration_definition_not_found` if the version is no longer bundled
 */
export async function loadVersion(
  deps: LoadVersionDeps,
  key: string,
  { version, sourceUrl, sha256 }: OfferedVersion,
  tenant: Tenant,
): Promise<Uint8Array> {
  const stored = await deps.bundles.code(sha256)
  if (stored !== undefined) return stored
  if (!sourceUrl.startsWith('/')) return downloadBundle(deps.egressGateway, sourceUrl, tenant)
  const code = await deps.bundledCatalogue.bundle(key, version)
  if (code === undefined) throw notFound('integration_definition')
  return code
}
