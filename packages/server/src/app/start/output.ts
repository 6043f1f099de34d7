import type { DestinationStream } from 'pino'
import { createLog, type Log } from '../../platform/http/log.ts'
import type { ConsoleAddress } from './console-code.ts'
import type { Config } from './environment.ts'

/** Where the service writes: text for a person at a terminal, or JSON lines for a log collector. */
export interface Output {
  readonly isPretty: boolean
  readonly log: Log
  /** Writes one notice for the operator, at every log level. */
  notice(message: string): void
}

/** The part of standard output that is used. */
export interface OutputStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Creates the output in the format that `LINCHPIN_LOG_FORMAT` selects; `auto` is `pretty` on a terminal only. */
export function createOutput(
  { logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>,
  stream: OutputStream = process.stdout,
): Output {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && stream.isTTY === true)
  const log = createLog(logLevel, isPretty ? createPrettyDestination(stream, logLevel) : undefined)
  return {
    isPretty,
    log,
    notice(message) {
      const line = { level: 'info', time: new Date().toISOString(), msg: message }
      stream.write(`${isPretty ? message : JSON.stringify(line)}\n`)
    },
  }
}

/**
 * Turns each JSON line of the log into `12:30:00 warn message key=value`, and that of a request into
 * `12:30:00 POST /link/…/connect 422 1.2s credentials_rejected acme_desk key=value`, with ids last; a stack follows on its own
 * lines.
 */
function createPrettyDestination(stream: OutputStream, logLevel: string): DestinationStream {
  const showsCheckpoints = logLevel === 'debug' || logLevel === 'trace'
  return {
    write(line) {
      const { level, time, msg, err, ...facts } = JSON.parse(line) as LogLine
      // A signature of four lines, which only collectors of JSON lines keep.
      if (facts.checkpoint !== undefined && !showsCheckpoints) return
      const clock = new Date(time).toTimeString().slice(0, 8)
      const { stack, type, message } = { ...err }
      const cause = err === undefined || stack !== undefined ? {} : { err: `${type}: ${message}` }
      const { words, others } = describeRequest(facts) ?? { words: [], others: facts }
      const isRoutine = words.length > 0 && (level === 'info' || level === 'debug')
      const parts = [
        clock,
        ...(isRoutine ? [] : [level]),
        ...(msg === undefined ? [] : [msg]),
        ...words,
        ...formatPairs({ ...others, ...cause }),
      ]
      stream.write(`${parts.join(' ')}\n${stack === undefined ? '' : `${stack}\n`}`)
    },
  }
}

type Facts = Readonly<Record<string, unknown>>

interface LogLine extends Facts {
  readonly level: string
  readonly time: string
  readonly msg?: string
  readonly err?: LoggedError
}

/** What a person looks for in the line of a request, in this order, and the other facts. Undefined for other lines. */
function describeRequest(facts: Facts): { words: string[]; others: Facts } | undefined {
  const { method, route, status, ms, error, tool, ...others } = facts
  if (typeof method !== 'string' || typeof route !== 'string' || typeof ms !== 'number')
    return undefined
  const path = route.replace(/(?<=\/)[:*][^/]*/g, '…')
  const duration = ms < 1_000 ? `${Math.round(ms)}ms` : `${(ms / 1_000).toFixed(1)}s`
  const reasons = [error, tool].filter((fact) => fact !== undefined)
  const words = [method, path, status, duration, ...reasons]
  return { words: words.map(formatFact), others }
}

function formatPairs(facts: Facts): string[] {
  const isId = (name: string) => name === 'link' || /id$/i.test(name)
  const names = Object.keys(facts)
  const sorted = [...names.filter((name) => !isId(name)), ...names.filter(isId)]
  return sorted.map((name) => `${name}=${formatFact(facts[name])}`)
}

/** Without a stack, its message is in the line. */
interface LoggedError {
  readonly type?: string
  readonly message?: string
  readonly stack?: string
}

/** Values with white space or control characters are quoted and escaped, so that none can imitate another line. */
function formatFact(value: unknown): string {
  if (typeof value === 'string' && /^[^\s\p{C}"]+$/u.test(value)) return value
  return JSON.stringify(value).replace(
    /\p{C}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** What the first lines on a terminal are about. */
export interface WelcomeOptions {
  /** The public base URL, without a trailing slash. */
  readonly url: string
  /** The address of the console; undefined without a console. */
  readonly consoleAddress?: ConsoleAddress | undefined
  /** The file with the owner's token; undefined when there is none. */
  readonly tokenFile: string | undefined
  /** Whether `LINCHPIN_TOKEN` is set. */
  readonly hasTokenSetting: boolean
}

/**
 * The text that `npm start` shows on a terminal: the address that signs in to the console, where API and documentation
 * are, and where the token is. It never contains the token.
 */
export function welcome(options: WelcomeOptions): string {
  const { url, consoleAddress } = options
  return `
Linchpin listens on ${url}

  Console        ${consoleAddress?.url ?? 'off (LINCHPIN_CONSOLE=0)'}
  API            ${url}/api/v1
  API reference  ${url}/docs
  Owner's token  ${describeToken(options)}

${describeBeginning(options)}

Press Ctrl-C to stop.
`
}

const OPEN_CONSOLE = `Open the address of the console. It signs you in, once, within 15 minutes, and leads to a first connection.
Another one: npm run --silent linchpin -- console`

function describeBeginning({ url, consoleAddress }: WelcomeOptions): string {
  if (consoleAddress === undefined) return `Begin with the quickstart: ${url}/docs/quickstart`
  return consoleAddress.signsIn
    ? OPEN_CONSOLE
    : `Open the console and sign in.
A code instead: npm run --silent linchpin -- console`
}

function describeToken({ tokenFile, hasTokenSetting }: WelcomeOptions): string {
  if (hasTokenSetting) return 'the value of LINCHPIN_TOKEN'
  return (
    tokenFile ?? 'not in a file; `TOKEN=$(npm run --silent token -- --owner)` creates another one'
  )
}
