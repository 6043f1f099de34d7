import { ApiError } from '../../errors.ts'
import { failureCode } from './failure-code.ts'
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

function isLinkInaccessible(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const isUnknownLink = error.code === 'unknown_reference' && 'linkId' in error.errors
  return isUnknownLink || error.code === 'link_not_found'
}
