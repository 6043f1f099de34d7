import { RunnerError } from '@linchpin/runner'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { STORAGE_API_ERRORS, StorageError } from '../../storage/storage-error.ts'
import type { LinkCounters } from './link-counters.ts'

/**
 * Runs an attempt to add an account through a link, and counts it and the reason if it is rejected. The code that
 * stores the account counts the success. Calls that do not reach the link are not counted.
 */
export async function countAttempt<T>(
  counters: Pick<LinkCounters, 'attempted' | 'refused'>,
  linkId: string,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    const result = await attempt()
    counters.attempted(linkId)
    return result
  } catch (error) {
    if (!isLinkInaccessible(error)) {
      counters.attempted(linkId)
      counters.refused(linkId, failureCode(error))
    }
    throw error
  }
}

/** The error code for a failed attempt to connect an account. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (error instanceof StorageError) return STORAGE_API_ERRORS[error.kind]?.[0] ?? 'internal_error'
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}

function isLinkInaccessible(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const isUnknownLink = error.code === 'unknown_reference' && 'linkId' in error.errors
  return isUnknownLink || error.code === 'link_not_found'
}
