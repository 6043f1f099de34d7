import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  createCheckpointVerifier,
  parseCheckpoint,
  type VerifiedExport,
  verifyExport,
} from '../../../activity/audit/verify/verify-export.ts'
import { type CommandOutput, OperatorUsageError, parseOperatorArgs } from '../operator-command.ts'

/**
 * `audit verify EXPORT [--checkpoints FILE] [--public-key KEY]`, without a server or a database. Prints each line that was
 * changed.
 *
 * @returns the exit code: 0 if nothing was changed, 1 if something was, 2 if it cannot be verified
 * @throws OperatorUsageError
 */
export async function verifyAuditCommand(
  args: readonly string[],
  output: CommandOutput,
): Promise<0 | 1 | 2> {
  const { file, checkpoints, publicKey } = parseCommand(args)
  try {
    const known = checkpoints === undefined ? [] : await readCheckpoints(checkpoints)
    const open = () => readLines(file)
    const workspaceId = (await verifyExport(open)).workspaceId
    const verifier = createCheckpointVerifier(
      known.filter((checkpoint) => checkpoint.workspaceId === workspaceId),
      publicKey,
    )
    const result = await verifyExport(open, verifier.compare)
    const findings = [...result.findings, ...verifier.findings]
    for (const { line, kind, message } of findings)
      output.log(`${file}:${line}: ${kind}: ${message}`)
    output.log(summarize(result, findings.length))
    if (checkpoints !== undefined) output.log(`${verifier.compared} checkpoints compared`)
    if (checkpoints !== undefined && verifier.compared === 0)
      output.error(`No checkpoint in ${checkpoints} is one of the entries in ${file}.`)
    if (checkpoints !== undefined && publicKey === undefined)
      output.error('Without --public-key, the signatures of the checkpoints were not verified.')
    return findings.length === 0 ? 0 : 1
  } catch (error) {
    output.error(`audit verify: ${describe(error)}`)
    return 2
  }
}

function describe(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no file ${path}.`
  return error instanceof Error ? error.message : String(error)
}

interface Command {
  readonly file: string
  readonly checkpoints: string | undefined
  readonly publicKey: string | undefined
}

/** @throws OperatorUsageError */
function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parseOperatorArgs(joinPublicKey(args), {
    checkpoints: { type: 'string' },
    'public-key': { type: 'string' },
  })
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new OperatorUsageError('expected one file')
  const publicKey = values['public-key']
  if (publicKey !== undefined && !/^[\w-]{43}$/.test(publicKey))
    throw new OperatorUsageError('--public-key: must be 32 bytes in base64url')
  return { file, checkpoints: values.checkpoints, publicKey }
}

/** One key in 64 begins with a hyphen: `parseArgs` takes it for an option unless it follows `=`. */
function joinPublicKey(args: readonly string[]): string[] {
  const at = args.indexOf('--public-key')
  const value = args[at + 1]
  if (at < 0 || value === undefined) return [...args]
  return [...args.slice(0, at), `--public-key=${value}`, ...args.slice(at + 2)]
}

/** The lines of a file, each without the LF that ends it and nothing else: a CR belongs to its line. */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

async function readCheckpoints(file: string) {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.map(parseCheckpoint).filter((checkpoint) => checkpoint !== undefined)
}

function summarize({ entries, first, last, erased }: VerifiedExport, findings: number): string {
  const range = entries === 0 ? '' : ` (${first} to ${last})`
  const erasures = erased === 0 ? '' : `, ${erased} values erased`
  return `${entries} entries${range}${erasures}: ${findings === 0 ? 'nothing was changed' : `${findings} findings`}`
}
