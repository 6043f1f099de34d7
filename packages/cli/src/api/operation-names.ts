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

/** `redirectURLs` → `redirect-urls`, `oauthApps` → `oauth-apps` */
export function toKebabCase(name: string): string {
  return name
    .replaceAll('OAuth', 'Oauth')
    .replaceAll('URL', 'Url')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
}
