import { ApiError } from '../errors.ts'

/** The body is longer than the operation takes. `advice` completes the sentence. */
export function createBodyTooLargeError(
  maxBytes: number,
  {
    advice = '',
    ...details
  }: { advice?: string; cause?: unknown; headers?: Record<string, string> } = {},
): ApiError {
  const kB = maxBytes / 1024
  const limit = kB < 1024 ? `${Math.floor(kB)} kB` : `${Math.floor(kB / 102.4) / 10} MB`
  return new ApiError('body_too_large', `The body is larger than ${limit}${advice}.`, details)
}
