/** What the first lines on a terminal are about. */
export interface WelcomeOptions {
  /** The public base URL, without a trailing slash. */
  readonly url: string
  /** The file with the owner's token; undefined when there is none. */
  readonly tokenFile: string | undefined
  /** Whether `LINCHPIN_TOKEN` is set. */
  readonly hasTokenSetting: boolean
}

/**
 * The text that `npm start` shows on a terminal: where the start page and the documentation are, where the token is, and
 * one command that creates a link and prints its address. It never contains the token.
 */
export function welcome(options: WelcomeOptions): string {
  const { url } = options
  return `
Linchpin listens on ${url}

  Start page     ${url}/
  API            ${url}/api/v1
  API reference  ${url}/docs
  Owner's token  ${describeToken(options)}

To create a link and print its address, run this in another terminal:

${formatLinkCommand(url, formatTokenExpression(options))}

Press Ctrl-C to stop.
`
}

/** A shell command that creates a link for every integration and prints its address, or the API's error. */
function formatLinkCommand(url: string, token: string): string {
  return [
    `curl -sS -w '\\n' ${url}/api/v1/link -H "Authorization: Bearer ${token}" \\`,
    `  -H 'Content-Type: application/json' -d '{"linkName":"My first link","expiresIn":86400}' \\`,
    `  | sed 's#.*"linkId":"\\([^"]*\\)".*#${url}/link/\\1#'`,
  ].join('\n')
}

function formatTokenExpression({ tokenFile, hasTokenSetting }: WelcomeOptions): string {
  if (hasTokenSetting) return '$LINCHPIN_TOKEN'
  return tokenFile === undefined ? '$TOKEN' : `$(cat ${quote(tokenFile)})`
}

function describeToken({ tokenFile, hasTokenSetting }: WelcomeOptions): string {
  if (hasTokenSetting) return 'the value of LINCHPIN_TOKEN'
  return (
    tokenFile ?? 'not in a file; `TOKEN=$(npm run --silent token -- --owner)` creates another one'
  )
}

/** Quotes a path for a POSIX shell, inside the `$(…)` of a double-quoted word. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
