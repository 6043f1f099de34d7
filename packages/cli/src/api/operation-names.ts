import { OWN_FLAG_NAMES } from '../own-flags.ts'
import type { Operation } from './operation.ts'

/** Groups of the SDK whose name on the command line is another one. */
const GROUP_NAMES: Readonly<Record<string, string>> = {
  connectSessions: 'sessions',
  webhookEndpoints: 'webhooks',
}

/** The command of an operation: `accounts list-history` for `accounts.listHistory`. */
export function nameCommand({ method }: Pick<Operation, 'method'>): string {
  const [group = '', operation = ''] = method.split('.')
  return `${GROUP_NAMES[group] ?? toKebabCase(group)} ${toKebabCase(operation)}`
}

/**
 * The option of a field: its name in kebab case. A name that the command line uses itself gets the resource in front:
 * `endpoint-url` for the `url` of `webhookEndpoints.create`.
 *
 * @throws Error if that is a name of the command line, too
 */
export function nameOption({ method }: Pick<Operation, 'method'>, field: string): string {
  const name = toKebabCase(field)
  if (!OWN_FLAG_NAMES.has(name)) return name
  const group = toKebabCase(method.split('.')[0] ?? '')
  const resource = group.split('-').at(-1)?.replace(/s$/, '')
  const longName = `${resource}-${name}`
  if (OWN_FLAG_NAMES.has(longName))
    throw new Error(`${method}: ${field} has no name for an option.`)
  return longName
}

/** `redirectURLs` → `redirect-urls`, `oauthApps` → `oauth-apps` */
export function toKebabCase(name: string): string {
  return name
    .replaceAll('OAuth', 'Oauth')
    .replaceAll('URL', 'Url')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
}
