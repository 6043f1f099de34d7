import { Linchpin } from '@linchpin/sdk'
import { importNangoCommand } from '../../src/import/nango/nango-command.ts'

// The command as a process that tests can kill.
process.exitCode = await importNangoCommand(process.argv.slice(2), {
  linchpin: new Linchpin({
    baseUrl: process.env.LINCHPIN_URL ?? '',
    token: process.env.LINCHPIN_TOKEN ?? '',
  }),
  env: process.env,
  fetch,
  print: (line) => void process.stdout.write(`${line}\n`),
  tell: (line) => void process.stderr.write(`${line}\n`),
  confirm: async () => false,
})
