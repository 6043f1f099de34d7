import { Linchpin } from '@linchpin/sdk'
import type { Io } from './io.ts'
import type { Profile, ProfileStore } from './profile-store.ts'
import { UsageError } from './usage-error.ts'

export const DEFAULT_URL = 'http://localhost:3000'

interface Source {
  readonly io: Io
  readonly profiles: ProfileStore
  readonly profileName: string
  readonly url: string | undefined
}

/**
 * The service and the token of a command: `--url`, `LINCHPIN_URL` or the profile, and `LINCHPIN_TOKEN` or the profile. The
 * token of a profile is only sent to the address of the profile.
 *
 * @throws UsageError without a token
 */
export async function resolveProfile({ io, profiles, profileName, url }: Source): Promise<Profile> {
  const stored = await profiles.get(profileName)
  const wantedUrl = url ?? (io.env.LINCHPIN_URL || undefined)
  const { LINCHPIN_TOKEN: token } = io.env
  if (token) return { url: wantedUrl ?? stored?.url ?? DEFAULT_URL, token }
  if (stored === undefined)
    throw new UsageError(
      'There is no token. Run linchpin login, or set LINCHPIN_TOKEN and LINCHPIN_URL.',
    )
  if (wantedUrl !== undefined && trim(wantedUrl) !== trim(stored.url))
    throw new UsageError(
      `The token of the profile ${profileName} is for ${stored.url}. Run linchpin login with another --profile for another address.`,
    )
  return stored
}

/** The API of a service. @throws UsageError for an address or a token that cannot be used */
export function connect({ url, token }: Profile, { fetch }: Io): Linchpin {
  try {
    return new Linchpin({ baseUrl: url, token, fetch })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message.replace('baseUrl', 'The address of the service'))
  }
}

function trim(url: string): string {
  return url.replace(/\/+$/, '')
}
