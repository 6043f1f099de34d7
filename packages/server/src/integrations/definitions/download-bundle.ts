import { isUtf8 } from 'node:buffer'
import { EgressError, type EgressGateway, type Tenant } from '@linchpin/runner'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { ApiError, fieldError } from '../../platform/errors.ts'

/** Maximum size of a bundle. */
export const MAX_BUNDLE_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 20_000

export interface DownloadBundleDeps {
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
