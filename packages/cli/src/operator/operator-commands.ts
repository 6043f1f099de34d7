import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { OPERATOR_USAGES } from '../../../server/src/app/operator/operator-usages.ts'
import type { CommandContext, RawCommand } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const COMMANDS = Object.entries(OPERATOR_USAGES)
  // It needs no database: see verify-audit.ts.
  .filter(([name]) => name !== 'audit verify')

/** The commands of those who run the service. They use its database, so its own program runs them. */
export const OPERATOR_COMMANDS: readonly RawCommand[] = COMMANDS.map(
  ([name, { summary, arguments: usage }]) => ({
    name,
    summary,
    isForOperators: true,
    help: `Usage: ${`linchpin ${name} ${usage}`.trim()}

${summary}.
Runs where the service is installed, with its settings: in its folder, or with LINCHPIN_HOME set to it.`,
    runRaw: (args, context) => runOperator(name, args, context),
  }),
)

async function runOperator(
  name: string,
  args: readonly string[],
  { io }: CommandContext,
): Promise<number> {
  const home = findHome(io.env.LINCHPIN_HOME)
  if (home === undefined)
    throw new UsageError(
      `linchpin ${name} uses the database of the service. Run it in the folder where Linchpin is installed, or set LINCHPIN_HOME to that folder.`,
    )
  const ownNode = path.join(home, 'node_modules/.bin/node')
  const node = existsSync(ownNode) ? ownNode : process.execPath
  const program = path.join(home, PROGRAM)
  return io.runProgram(node, [program, ...name.split(' '), ...args])
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PROGRAM = 'packages/server/generated/cli.mjs'

/** The nearest installation: `LINCHPIN_HOME`, the folder of the shell or one above, or the clone that this program is in. */
function findHome(given: string | undefined): string | undefined {
  if (given) return isHome(given) ? path.resolve(given) : undefined
  return [...listAncestors(process.cwd()), ...listAncestors(FOLDER)].find(isHome)
}

function listAncestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)]
}

function isHome(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    return name === 'linchpin' && existsSync(path.join(folder, PROGRAM))
  } catch {
    return false
  }
}
