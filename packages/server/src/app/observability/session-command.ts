/** What the command that a newcomer runs first depends on. */
export interface SessionCommandOptions {
  /** The public base URL, without a trailing slash. */
  readonly url: string
  /** A shell expression for the token, for a double-quoted word. */
  readonly token: string
  /** Whether there is Acme Sandbox to try; otherwise the session offers every integration. */
  readonly hasSandbox: boolean
}

/** A shell command that creates a connect session and prints its address, or the API's error. */
export function formatSessionCommand({ url, token, hasSandbox }: SessionCommandOptions): string {
  const tools = hasSandbox ? ',"integrationDefinitionIds":["acme_sandbox"]' : ''
  return [
    `curl -sS -w '\\n' ${url}/api/v1/connect_session -H "Authorization: Bearer ${token}" \\`,
    `  -H 'Content-Type: application/json' -d '{"accountIdentifier":"customer-1"${tools}}' \\`,
    `  | sed 's#.*"url":"\\([^"]*\\)".*#\\1#'`,
  ].join('\n')
}
