import { createHash } from 'node:crypto'
import { type Catalogue, type CatalogueEntry, compareVersions } from '@linchpin/catalogue'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { ApiError } from '../../platform/errors.ts'
import { createEtag, hasEtag } from '../../platform/http/send-page.ts'
import type { BundleStore } from '../definitions/bundle-store.ts'
import { findCategory } from '../definitions/category.ts'
import { serializeReleaseStage } from '../definitions/schemas.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import { createInstanceKeyReader, type InstanceKeyDeps } from './instance-key-store.ts'
import {
  ACME_SANDBOX_KEY,
  getBundlePath,
  getCatalogueDefinitionId,
  getIconPath,
  isLocalPath,
} from './offered-integration.ts'
import { getSigningTimes, signRegistry } from './registry/registry-signature.ts'

export interface CatalogueRouteDeps extends ServedVersionsDeps, InstanceKeyDeps {
  readonly baseUrl: () => string
}

/**
 * `/catalogue/*`, public: the signed registry document, its public key, and the bundles and icons of the bundled
 * catalogue. The bytes at the URL of a bundle never change.
 */
export function catalogueRoutes(deps: CatalogueRouteDeps): FastifyPluginAsync {
  const { bundledCatalogue, baseUrl } = deps
  const served = createServedVersions(deps)
  const instanceKey = createInstanceKeyReader(deps)
  return async (app) => {
    app.get('/catalogue/registry.json', { schema: { hide: true } }, async (request, reply) => {
      const document = buildRegistryDocument(bundledCatalogue, await served.all(), baseUrl())
      const body = signRegistry(document, await instanceKey(), getSigningTimes(deps.now()))
      const etag = createEtag(body)
      reply.header('etag', etag).header('cache-control', 'public, max-age=300')
      if (hasEtag(request, etag)) return reply.code(304).send()
      return withSandboxHeaders(reply, 'application/json; charset=utf-8')
        .serializer(String)
        .send(body)
    })

    // RFC 7517 and RFC 8037.
    app.get('/catalogue/jwks.json', { schema: { hide: true } }, async (_request, reply) => {
      const { publicKey: x, keyId: kid } = await instanceKey()
      const key = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
      reply.header('cache-control', 'public, max-age=300')
      return withSandboxHeaders(reply, 'application/jwk-set+json')
        .serializer(String)
        .send(JSON.stringify({ keys: [key] }))
    })

    app.get('/catalogue/icons/:file', { schema: { hide: true } }, async (request, reply) => {
      const { file } = request.params as { file: string }
      const icon = file.endsWith('.svg')
        ? await bundledCatalogue.icon(file.slice(0, -4))
        : undefined
      if (icon === undefined) throw createNotFoundError()
      reply.header('cache-control', 'public, max-age=86400')
      return withSandboxHeaders(reply, 'image/svg+xml').send(Buffer.from(icon))
    })

    app.get(
      '/catalogue/:key/:version/index.js',
      { schema: { hide: true } },
      async (request, reply) => {
        const { key, version } = request.params as { key: string; version: string }
        const code = await served.bundle(key, version)
        if (code === undefined) throw createNotFoundError()
        // RFC 9530.
        const digest = createHash('sha256').update(code).digest('base64')
        reply
          .header('repr-digest', `sha-256=:${digest}:`)
          .header('cache-control', 'public, max-age=31536000, immutable')
        return withSandboxHeaders(reply, 'text/javascript; charset=utf-8').send(Buffer.from(code))
      },
    )
  }
}

function createNotFoundError(): ApiError {
  return new ApiError('route_not_found', 'This URL does not exist.')
}

/** Prevents scripts from running when a browser opens the file directly. */
function withSandboxHeaders(reply: FastifyReply, type: string): FastifyReply {
  return reply
    .type(type)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
}

/**
 * Builds the registry document of the bundled catalogue, in the format that LINCHPIN_REGISTRY_URL expects. Without the sandbox:
 * only its own service answers it.
 */
function buildRegistryDocument(
  { entries }: Catalogue,
  served: ReadonlyMap<string, readonly ServedVersion[]>,
  baseUrl: string,
) {
  const published = entries.filter((entry) => entry.key !== ACME_SANDBOX_KEY)
  const definitions = published.map(({ key, name, category, stage, hasIcon, versions }) => {
    const servedVersions = (served.get(key) ?? []).map(({ version, sha256 }) => ({
      version,
      sourceUrl: baseUrl + getBundlePath(key, version),
      sha256,
    }))
    const [newest] = servedVersions
    const entry = versions.find(({ sha256 }) => sha256 === newest?.sha256)?.entry
    return {
      key,
      name,
      icon: hasIcon ? baseUrl + getIconPath(key) : '',
      integrationType: findCategory(category) ?? { key: category, name: category },
      releaseStage: serializeReleaseStage(stage),
      ...newest,
      // A node that moves to the newest version needs no further request.
      versions: servedVersions.map((each) =>
        each === newest && entry ? { ...each, entry } : each,
      ),
    }
  })
  return { version: 1, definitions }
}

export interface ServedVersionsDeps {
  readonly bundledCatalogue: Catalogue
  readonly catalogue: CatalogueStore
  readonly bundles: BundleStore
}

/** A version and the digest of the bytes that are served for it. */
export type ServedVersion = Pick<CatalogueEntry['versions'][number], 'version' | 'sha256'>

/**
 * The versions that this service serves: stored bytes first, otherwise the bundled files. So the bytes at a URL never
 * change, and a version in use stays available when a later release no longer bundles it.
 */
export function createServedVersions({ bundledCatalogue, catalogue, bundles }: ServedVersionsDeps) {
  const storedVersions = async (key?: string) =>
    (await catalogue.listVersions(key === undefined ? key : getCatalogueDefinitionId(key))).filter(
      ({ sourceUrl, isStored }) => isLocalPath(sourceUrl) && isStored,
    )
  return {
    /** All versions of each bundled integration, newest first. */
    async all(): Promise<ReadonlyMap<string, readonly ServedVersion[]>> {
      const byDefinition = Map.groupBy(await storedVersions(), ({ definitionId }) => definitionId)
      return new Map(
        bundledCatalogue.entries.map(({ key, versions }) => {
          const stored = byDefinition.get(getCatalogueDefinitionId(key)) ?? []
          const all = new Map(versions.map(({ version, sha256 }) => [version, sha256]))
          for (const { version, bundleSha256 } of stored) all.set(version, bundleSha256)
          const served = [...all].map(([version, sha256]) => ({ version, sha256 }))
          return [key, served.toSorted((one, two) => compareVersions(two.version, one.version))]
        }),
      )
    },

    /** The bytes of a version; undefined if it does not exist. */
    async bundle(key: string, version: string): Promise<Uint8Array | undefined> {
      const stored = (await storedVersions(key)).find((each) => each.version === version)
      const bytes = stored && (await bundles.code(stored.bundleSha256))
      return bytes ?? bundledCatalogue.bundle(key, version)
    },
  }
}
