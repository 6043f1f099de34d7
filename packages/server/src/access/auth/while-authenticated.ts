import type { Caller } from './caller.ts'

/**
 * Passes the parts of a long response on while the token of the request is valid, which it verifies between them. Otherwise the
 * response breaks off.
 *
 * @throws ApiError as the authentication of a new request
 */
export async function* whileAuthenticated<T>(
  { reauthenticate }: Pick<Caller, 'reauthenticate'>,
  parts: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const part of parts) {
    yield part
    await reauthenticate?.()
  }
}
