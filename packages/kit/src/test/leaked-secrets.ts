import type { Config } from '../values/fill.ts'
import type { ReceivedRequest } from './fake-provider.ts'
import type { ExpectedCredential } from './request-encoding.ts'

/**
 * Headers and parameters of a request that contain the credential although the provider expects it elsewhere: there it
 * could be logged.
 */
export function findLeakedSecrets(
  { method, url, headers }: ReceivedRequest,
  expected: readonly ExpectedCredential[],
  { secret, token }: Config,
): string[] {
  const values = [secret, token].map(String).filter((value) => value.length >= MIN_SECRET_LENGTH)
  const containsSecret = (text: string) =>
    values.some((value) => text.includes(value) || text.includes(encodeURIComponent(value)))
  const isExpected = (location: string, name: string) =>
    expected.some(
      (each) => each.location === location && each.name.toLowerCase() === name.toLowerCase(),
    )
  const parts = [
    ...[...url.searchParams].map(([name, value]) => ['query', name, value] as const),
    ...Object.entries(headers).map(([name, value]) => ['header', name, String(value)] as const),
  ]
  return parts
    .filter(([location, name, value]) => containsSecret(value) && !isExpected(location, name))
    .map(
      ([location, name]) =>
        `${method} ${url.pathname} also sends the credential as ${location} ${name}`,
    )
}

/** Shorter ones could occur by chance. */
const MIN_SECRET_LENGTH = 8
