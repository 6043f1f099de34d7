import type { EgressRequest } from '../egress/egress-types.ts'
import { getEncoders } from '../secret-encodings.ts'
import { contains } from './contains.ts'
import { readTokenRequest } from './searchable-request.ts'

/** A secret in the params of a call that may be sent to some URLs only. */
export interface GuardedSecret {
  readonly value: string
  /** Rejects unless the secret may be sent to this URL. */
  requireAllowed(url: string): Promise<void>
}

/**
 * Whether a request contains a secret: in the query, path, headers, HTTP Basic, form, JSON or multipart body, plain or
 * encoded, in linear time. Values of fewer than 12 characters are found only as a whole parameter. Bodies above 64 kB,
 * and values transformed by the code itself, are not searched.
 */
export function containsSecret(request: EgressRequest, { value }: Pick<GuardedSecret, 'value'>) {
  const { parameters, texts } = readTokenRequest(request)
  if (parameters.some((parameter) => parameter.value === value)) return true
  const isSearchable = value.length >= MIN_SEARCH_LENGTH && value.length <= MAX_SEARCH_LENGTH
  const encodings = isSearchable ? new Set(getEncoders(value).map((encode) => encode(value))) : []
  return [...encodings].some(
    (encoded) =>
      texts.some((text) => contains(text, encoded)) ||
      parameters.some((parameter) => parameter.value === encoded),
  )
}

const MIN_SEARCH_LENGTH = 12
const MAX_SEARCH_LENGTH = 16_384
