import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { isDecodable } from './is-decodable.ts'
import { parseUrl } from './setting-parsers.ts'

const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey']

/** The driver encodes the rest of such a text itself. */
const UNENCODED = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i

/**
 * Parses a connection URI of PostgreSQL whose parts can be decoded and whose certificates can be read. The driver does both for each
 * connection, where a mistake looks like a failure of the network, and an empty certificate like none.
 *
 * @throws Error whose message completes "NAME: …", without any part of the URL except the path of a file
 */
export function parsePostgresUrl(text: string): string {
  const { username, password, hostname, pathname, searchParams } = parseUrl(text, [
    'postgres:',
    'postgresql:',
  ])
  if (!UNENCODED.test(text) && ![username, password, hostname, pathname].every(isDecodable))
    throw new Error('has a % sequence that is not UTF-8.')
  assertTlsMode(searchParams)
  for (const name of FILE_PARAMETERS) {
    const file = searchParams.get(name)
    if (file) assertReadable(name, file)
  }
  return text
}

/** The modes of libpq, and one of the driver. */
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

function assertTlsMode(parameters: URLSearchParams): void {
  const [mode, ...others] = parameters.getAll('sslmode')
  if (mode === undefined) return
  if (others.length > 0) throw new Error('sslmode occurs more than once.')
  if (!TLS_MODES.includes(mode)) throw new Error(`sslmode must be one of ${TLS_MODES.join(', ')}.`)
  if (mode === 'verify-ca' && !parameters.get('sslrootcert'))
    throw new Error(
      'sslmode=verify-ca needs sslrootcert: any authority would do otherwise. Use verify-full for a public one.',
    )
}

function assertReadable(name: string, file: string): void {
  const stats = inspect(name, file)
  if (!stats.isFile()) throw new Error(`${name}: ${file} is not a file.`)
  if (stats.size === 0) throw new Error(`${name}: ${file} is empty.`)
}

function inspect(name: string, file: string): Stats {
  try {
    accessSync(file, constants.R_OK)
    return statSync(file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${name}: cannot read the file: ${reason}`)
  }
}
