import type { RawCommand } from '../command.ts'
import { confirm } from '../confirm.ts'
import { IMPORT_NANGO_USAGE, importNangoCommand } from './nango/nango-command.ts'

/** Commands that migrate from other systems. */
export const IMPORT_COMMANDS: readonly RawCommand[] = [
  {
    name: 'import nango',
    summary: 'Import the connections of Nango',
    help: IMPORT_NANGO_USAGE,
    runRaw: async (args, { io, connect }) =>
      importNangoCommand(args, {
        linchpin: await connect(),
        env: io.env,
        fetch: io.fetch,
        print: (line) => void io.stdout.write(`${line}\n`),
        tell: (line) => void io.stderr.write(`${line}\n`),
        confirm: (question) => confirm(question, io),
        async sleep(ms) {
          await io.sleep(ms)
          io.signal.throwIfAborted()
        },
      }),
  },
]
