import { ApiError, fieldError } from '../../platform/errors.ts'

/** What a request changes that may decide where stored secrets are sent. Names of fields only, never values. */
export interface DestinationChange {
  /** The changed fields. */
  readonly changed: readonly string[]
  /** The stored secrets that the request keeps without containing them. */
  readonly reused: readonly string[]
}

/**
 * The stored secrets that a request must contain again (decision 021): all that it keeps, if it changes where they may be
 * sent. A caller that could read them anyway needs to send none.
 */
export function listMissingSecrets(
  { changed, reused }: DestinationChange,
  { mayRead }: { readonly mayRead: boolean },
): readonly string[] {
  return mayRead || changed.length === 0 ? [] : reused
}

/**
 * @param missing the paths of the fields to send
 * @throws ApiError `secret_required` that names them, if there are any
 */
export function assertNoMissingSecrets(missing: readonly string[], message: string): void {
  if (missing.length === 0) return
  const errors = missing.map((path) => fieldError(path, 'secret_required', RESEND_MESSAGE))
  throw new ApiError('secret_required', message, { errors: Object.assign({}, ...errors) })
}

const RESEND_MESSAGE =
  'This stored secret could be sent to another host, so it must be included again.'
