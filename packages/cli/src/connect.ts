import { Linchpin } from '@linchpin/sdk'
import type { Io } from './io.ts'
import type { Profile, ProfileStore } from './profile-store.ts'
import { readSecret } from './secret-input.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_URL = 'http://localhost:3000'

/** What says which service a command is for, and with which token. */
export interface ProfileSource {
  readonly io: Io
  readonly profiles: ProfileStore
  readonly profileName: string
  /** The value of `--url`. */
  readonly url: string | undefined
  /** The value of `--token`: `@FILE` or `-`. */
  readonly token: string | undefined
}

/** The service of a command: `--url`, otherwise `LINCHPIN_URL`, otherwise that of the profile. */
export async function resolveUrl(source: ProfileSource): Promise<string> {
  return source.url ?? (await resolveTokenUrl(source))
}

/**
 * The service and the token of a command. A token that was stored for a service is only sent there, whatever `--url` says:
 * that of `LINCHPIN_TOKEN` to `LINCHPIN_URL`, without it to the address of the profile; that of a profile to its address.
 *
 * @throws UsageError without a token, and for one of another service
 */
export async function resolveProfile(source: ProfileSource): Promise<Profile> {
  const url = await resolveUrl(source)
  const token = (await readGivenToken(source)) ?? (await readProfileToken(source, url))
  return { url, token }
}

/**
 * The token of `--token`, or that of `LINCHPIN_TOKEN`; undefined without either.
 *
 * @throws UsageError if `--url` names another service than the one that `LINCHPIN_TOKEN` is for
 */
export async function readGivenToken(source: ProfileSource): Promise<string | undefined> {
  const { io, url, token } = source
  if (token !== undefined) return (await readSecret('--token', token, io)).trim()
  const fromEnvironment = io.env.LINCHPIN_TOKEN?.trim()
  if (!fromEnvironment) return undefined
  const tokenUrl = await resolveTokenUrl(source)
  if (url === undefined || isSameService(url, tokenUrl)) return fromEnvironment
  const origin = io.env.LINCHPIN_URL ? 'LINCHPIN_URL is' : 'without LINCHPIN_URL it is for'
  throw new UsageError(
    `--url names another service than the one LINCHPIN_TOKEN is for (${origin} ${hideUser(tokenUrl)}), so the token was not sent. Change LINCHPIN_URL, or pass the token of that service with --token @FILE or --token -.`,
  )
}

async function readProfileToken(
  { profiles, profileName }: ProfileSource,
  url: string,
): Promise<string> {
  const stored = await profiles.get(profileName)
  if (stored === undefined)
    throw new UsageError(
      'There is no token. Run linchpin login, or set LINCHPIN_TOKEN and LINCHPIN_URL.',
    )
  if (!isSameService(url, stored.url))
    throw new UsageError(
      `The token of the profile ${profileName} is for ${hideUser(stored.url)}, so it was not sent. Run linchpin login with another --profile for another address, or pass a token with --token @FILE or --token -.`,
    )
  return stored.token
}

/** The service that `LINCHPIN_TOKEN` is for. */
async function resolveTokenUrl({ io, profiles, profileName }: ProfileSource): Promise<string> {
  return io.env.LINCHPIN_URL || ((await profiles.get(profileName))?.url ?? DEFAULT_URL)
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

/** Whether two addresses are the same: scheme, host, port and path. */
function isSameService(one: string, other: string): boolean {
  return normalize(one) === normalize(other)
}

function normalize(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, protocol, pathname } = new URL(url)
  // Schemes that no service has share the origin `null`.
  return `${protocol} ${origin}${pathname.replace(/\/+$/, '')}`
}

function hideUser(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//')
}
