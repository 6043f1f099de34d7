import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Linchpin, LinchpinError } from '@linchpin/sdk'
import { createMemoryReport, openImportReport, type ReportLine } from '../import-report.ts'
import type { IdentifierSource } from './build-import.ts'
import { type ImportSummary, importNango } from './import-nango.ts'
import { type IntegrationMap, parseMap } from './map-integrations.ts'
import { createNangoClient, NangoError } from './nango-client.ts'

export const IMPORT_NANGO_USAGE = `Usage: linchpin import nango --from URL [options]

Imports the connections of an environment of Nango as accounts. Without --apply, it only lists what it would import.
The key of the environment is in NANGO_SECRET_KEY, or in the file of --secret-key-file.

  --from URL                the API of Nango, such as https://api.nango.dev
  --map INTEGRATION=DEFINITION
                            the definition for an integration of Nango; repeat it, or name a file: --map @FILE.
                            Default: the definition whose key is that of the integration or of its provider
  --apply                   imports
  --unchecked               does not check the imported credentials
  --report FILE             JSON lines, from which an interrupted import continues.
                            Default: linchpin-import-nango.jsonl
  --identifier SOURCE       accountIdentifier: end_user (default), organization or connection
  --workspace ID            the workspace of the accounts
  --concurrency N           connections at a time, 1 to 32. Default: 8
  --secret-key-file FILE    a file with the key
  --allow-http              sends the key without encryption
  --yes                     does not ask whether Nango has stopped refreshing`

const NOTICE = `Stop refreshing tokens in Nango first: pause its syncs and actions, stop what calls its API or proxy for these
connections, and start a self-hosted Nango with CRON_REFRESH_CONNECTIONS_EVERY_MIN=0. Otherwise Nango refreshes each connection that was
not read for 24 hours. Two systems must not use one refresh token: many providers then end the connection.
Do not delete connections in Nango: for hubspot, intercom, linear and onelogin, Nango then revokes the grant.`

/** What the command needs of its surroundings. */
export interface NangoCommandDeps {
  readonly linchpin: Linchpin
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  /** Standard output: the report, one JSON text per line. */
  readonly print: (line: string) => void
  /** Standard error. */
  readonly tell: (line: string) => void
  /** Asks a person on the terminal; false without a terminal. */
  readonly confirm: (question: string) => Promise<boolean>
  /** Rejects with an AbortError when a person interrupts it. */
  readonly sleep: (ms: number) => Promise<unknown>
}

/** Runs `linchpin import nango`. Returns the exit code: 0, 1 if something was refused or is left to do, 2 for wrong usage, 3 if unreachable. */
export async function importNangoCommand(
  args: readonly string[],
  deps: NangoCommandDeps,
): Promise<number> {
  try {
    const options = await parseOptions(args, deps.env)
    if (options === 'help') {
      deps.print(IMPORT_NANGO_USAGE)
      return 0
    }
    return await runImport(options, deps)
  } catch (error) {
    if (error instanceof TypeError) {
      deps.tell(error.message)
      return 2
    }
    if (!(error instanceof Error) || error.name === 'AbortError') throw error
    deps.tell(error.message)
    const isRefused =
      (error instanceof NangoError && error.status !== undefined) || error instanceof LinchpinError
    return isRefused ? 1 : 3
  }
}

async function runImport(options: Options, deps: NangoCommandDeps): Promise<number> {
  const { nango, applies, checks, reportFile } = options
  if (applies) deps.tell(NOTICE)
  if (applies && !options.isConfirmed && !(await deps.confirm('Has Nango stopped? [y/N] '))) {
    deps.tell('Nothing was imported. Run it again with --yes once Nango has stopped.')
    return 1
  }
  const report = applies ? openImportReport(reportFile) : createMemoryReport()
  try {
    const summary = await importNango({
      ...options,
      nango: createNangoClient({ ...nango, fetch: deps.fetch }),
      linchpin: deps.linchpin,
      applies,
      checks,
      report,
      onLine: (line: ReportLine) => deps.print(JSON.stringify(line)),
      onNotice: deps.tell,
      sleep: deps.sleep,
    })
    deps.tell(describeSummary(summary, options))
    return isComplete(summary) ? 0 : 1
  } finally {
    report.close()
  }
}

function describeSummary(summary: ImportSummary, { applies, reportFile }: Options): string {
  const counts = Object.entries(summary.counts).map(([outcome, count]) => `${count} ${outcome}`)
  const text = counts.length === 0 ? 'Nango has no connections.' : `${counts.join(', ')}.`
  return applies
    ? `${text} Report: ${reportFile}. Run the same command again to continue.`
    : `${text} This was a dry run: add --apply to import.`
}

const isComplete = ({
  isComplete,
  counts: { unmapped, unsupported, failed, check_failed },
}: ImportSummary) =>
  isComplete && [unmapped, unsupported, failed, check_failed].every((count = 0) => count === 0)

interface Options {
  readonly nango: { readonly baseUrl: string; readonly secretKey: string; allowsHttp: boolean }
  readonly map: IntegrationMap
  readonly applies: boolean
  readonly checks: boolean
  readonly isConfirmed: boolean
  readonly reportFile: string
  readonly workspaceId: string | undefined
  readonly identifier: IdentifierSource
  readonly concurrency: number
}

const OPTIONS = {
  from: { type: 'string' },
  map: { type: 'string', multiple: true },
  apply: { type: 'boolean' },
  unchecked: { type: 'boolean' },
  report: { type: 'string' },
  identifier: { type: 'string' },
  workspace: { type: 'string' },
  concurrency: { type: 'string' },
  'secret-key-file': { type: 'string' },
  'allow-http': { type: 'boolean' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

async function parseOptions(
  args: readonly string[],
  env: NangoCommandDeps['env'],
): Promise<Options | 'help'> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true })
  if (values.help) return 'help'
  if (values.from === undefined) throw new TypeError('--from is missing: the URL of Nango')
  const { identifier = 'end_user', concurrency = '8' } = values
  if (!isIdentifierSource(identifier))
    throw new TypeError('--identifier must be end_user, organization or connection')
  if (!/^([1-9]|[12]\d|3[0-2])$/.test(concurrency))
    throw new TypeError('--concurrency must be 1 to 32')
  const map = await Promise.all((values.map ?? []).map(readMap))
  return {
    nango: {
      baseUrl: values.from,
      secretKey: await readSecretKey(values['secret-key-file'], env),
      allowsHttp: values['allow-http'] ?? false,
    },
    map: parseMap(map),
    applies: values.apply ?? false,
    checks: !values.unchecked,
    isConfirmed: values.yes ?? false,
    reportFile: values.report ?? 'linchpin-import-nango.jsonl',
    workspaceId: values.workspace,
    identifier,
    concurrency: Number(concurrency),
  }
}

function isIdentifierSource(text: string): text is IdentifierSource {
  return ['end_user', 'organization', 'connection'].includes(text)
}

function readMap(value: string): Promise<string> {
  return value.startsWith('@') ? readText('--map', value.slice(1)) : Promise.resolve(value)
}

/** The key of the environment: never an argument, which other users of the machine can see. */
async function readSecretKey(
  file: string | undefined,
  env: NangoCommandDeps['env'],
): Promise<string> {
  const key = (
    file === undefined ? (env.NANGO_SECRET_KEY ?? '') : await readText('--secret-key-file', file)
  ).trim()
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('Set NANGO_SECRET_KEY to the secret key of the environment of Nango.')
  return key
}

async function readText(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new TypeError(`${option}: ${file} cannot be read`)
  })
}
