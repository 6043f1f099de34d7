import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { EgressError, type EgressGateway, type Tenant } from '@linchpin/runner'
import Type from 'typebox'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { ApiError, fieldError, validationFailed } from '../../platform/errors.ts'
import { decodeBase64, type LongMember } from '../../platform/http/json-body.ts'
import { OptionalField } from '../../platform/http/schema.ts'
import {
  bundleTenantEntry,
  type EntryBundleDeps,
  type EntryDefaults,
  type EntryInput,
} from './entry-bundle.ts'

/** Maximum size of a bundle. */
const MAX_BUNDLE_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 20_000

export interface LoadBundleDeps extends EntryBundleDeps {
  readonly egressGateway: EgressGateway
}

/**
 * Downloads a bundle through the egress gateway.
 *
 * @throws ApiError `source_url_forbidden`, `source_unreachable`, `source_too_large`, `bundle_invalid`
 */
export async function downloadBundle(
  egressGateway: EgressGateway,
  sourceUrl: string,
  tenant: Tenant,
): Promise<Uint8Array> {
  const url = parseSourceUrl(sourceUrl)
  const response = await egressGateway
    .request(
      {
        method: 'GET',
        url,
        headers: { accept: 'application/javascript, text/javascript, */*;q=0.5' },
      },
      {
        purpose: 'source',
        tenant,
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_BUNDLE_BYTES,
        maxRedirects: 5,
        decompress: true,
      },
    )
    .catch(throwDownloadError)
  if (response.status !== 200)
    throw createSourceError(
      'source_unreachable',
      `The server responded with status ${response.status} instead of 200.`,
    )
  if (response.body.byteLength === 0 || !isUtf8(response.body))
    throw createSourceError('bundle_invalid', 'The response is empty or not UTF-8 text.')
  return response.body
}

function parseSourceUrl(sourceUrl: string): string {
  const url = URL.parse(sourceUrl)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw createSourceError('source_url_forbidden', 'Must be an https URL.')
  if (url.username !== '' || url.password !== '')
    throw createSourceError('source_url_forbidden', 'Must not contain a user name or password.')
  return url.href
}

function throwDownloadError(error: unknown): never {
  if (!(error instanceof EgressError)) throw error
  if (error.code === 'refused')
    throw createSourceError(
      'source_url_forbidden',
      'This host does not exist or is not allowed. It must be a public host with https.',
      error,
    )
  if (error.code === 'too_large')
    throw createSourceError('source_too_large', 'The bundle is larger than 5 MB.', error)
  const reason = error.code === 'timeout' ? 'did not respond in time' : 'could not be reached'
  throw createSourceError('source_unreachable', `The address ${reason}.`, error)
}

function createSourceError(code: ErrorCode, message: string, cause?: unknown): ApiError {
  return new ApiError(code, `sourceUrl: ${message}`, {
    errors: fieldError('sourceUrl', code, message),
    cause,
  })
}

/** A bundle in base64 (RFC 4648 section 4), as a field of a request. */
export const BundleField = OptionalField(
  Type.String({
    minLength: 1,
    maxLength: Math.ceil(MAX_BUNDLE_BYTES / 3) * 4,
    description:
      'The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920).',
  }),
)

const MAX_OTHER_BYTES = 64 * 1024

/** Largest body of a request with such a field, in bytes. */
export const BUNDLE_BODY_LIMIT = Math.ceil(MAX_BUNDLE_BYTES / 3) * 4 + MAX_OTHER_BYTES

/** Without the field, such a request is as long as others. */
export const BUNDLE_MEMBER: LongMember = { name: 'bundle', maxOtherBytes: MAX_OTHER_BYTES }

/** Where a request takes its bundle from: exactly one of them is set. */
export interface BundleSource {
  readonly sourceUrl?: string | null
  readonly bundle?: string | null
  readonly entry?: EntryInput | null
}

/** The bytes of a bundle, and the URL that names them. */
export interface LoadedBundle {
  readonly code: Uint8Array
  readonly sourceUrl: string
}

/**
 * Downloads the bundle of a request, decodes the one in it, or makes one of its entry.
 *
 * @param defaults what an entry need not say
 * @throws ApiError `validation_failed`, `bundle_invalid`; those of downloadBundle
 */
export async function loadBundle(
  deps: LoadBundleDeps,
  source: BundleSource,
  tenant: Parameters<typeof downloadBundle>[2],
  defaults: EntryDefaults,
): Promise<LoadedBundle> {
  const { sourceUrl, bundle, entry } = source
  const given = SOURCES.filter((name) => source[name] != null)
  const [name = 'sourceUrl', second] = given
  if (second !== undefined)
    throw validationFailed(fieldError(second, 'unexpected', `Send either ${name} or ${second}.`))
  if (entry != null) return nameBundle(await bundleTenantEntry(deps, entry, tenant, defaults))
  if (bundle != null) return decodeBundle(bundle)
  if (sourceUrl == null)
    throw validationFailed(fieldError('sourceUrl', 'required', 'Send sourceUrl, bundle or entry.'))
  return { code: await downloadBundle(deps.egressGateway, sourceUrl, tenant), sourceUrl }
}

const SOURCES = ['sourceUrl', 'bundle', 'entry'] as const

/** The field that a failure of the bundle concerns. */
export function getBundleFieldName({ bundle, entry }: BundleSource): (typeof SOURCES)[number] {
  if (entry != null) return 'entry'
  return bundle == null ? 'sourceUrl' : 'bundle'
}

/** Whether a source URL names a bundle that was uploaded, which cannot be downloaded again. */
export function isUploaded(sourceUrl: string): boolean {
  return sourceUrl.startsWith(NAME_PREFIX)
}

/** RFC 6920 section 3, with the URL-safe alphabet and no padding. */
const NAME_PREFIX = 'ni:///sha-256;'

async function decodeBundle(text: string): Promise<LoadedBundle> {
  const code = await decodeBase64(text)
  if (code === undefined) throw createBundleError('Must be base64 with padding, and nothing else.')
  if (code.length === 0 || !isUtf8(code)) throw createBundleError('The bundle is not UTF-8 text.')
  return nameBundle(code)
}

/** A bundle that came with a request, named by its digest. */
export function nameBundle(code: Uint8Array): LoadedBundle {
  return { code, sourceUrl: NAME_PREFIX + hash('sha256', code, 'base64url') }
}

function createBundleError(message: string): ApiError {
  return new ApiError('bundle_invalid', `bundle: ${message}`, {
    errors: fieldError('bundle', 'bundle_invalid', message),
  })
}
