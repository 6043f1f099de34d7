import path from 'node:path'
import { runOperatorCommand } from './operator/run-operator-command.ts'
import { readEnvironment } from './start/environment.ts'
import { getExitCode, printStartupError } from './start/exit.ts'
import { openServices } from './start/open-services.ts'

const openOptions = {
  onNotice: (text: string) => console.error(text),
  onFatal: (error: Error) => {
    throw error
  },
  now: Date.now,
}

const loadConfig = () => {
  const config = readEnvironment(process.env)
  process.env.SQLITE_TMPDIR ??= path.resolve(config.dataDir)
  return config
}

// The commands of those who run the service: `npm run linchpin -- NAME`.
process.exitCode = await runOperatorCommand(process.argv.slice(2), {
  ...{ env: process.env, output: console, now: Date.now, openOptions, loadConfig },
  open: () => openServices(loadConfig(), { ...openOptions, exclusive: false }),
}).catch((error: unknown) => {
  printStartupError(error)
  return getExitCode(error)
})
