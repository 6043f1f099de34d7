import path from 'node:path'
import { findOperatorCommand, runOperatorCommand } from './app/operator/run-operator-command.ts'
import { readEnvironment } from './app/start/environment.ts'
import { getExitCode, printStartupError } from './app/start/exit.ts'
import { openServices } from './app/start/open-services.ts'

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

/** EX_CANTCREAT of sysexits.h. */
const OUTPUT_LOST = 73

// What a command does still has to end. The reader of a pipe may close it early, like `head`; a disk may be full.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || process.exitCode !== undefined) return
  process.exitCode = OUTPUT_LOST
  console.error(`cannot write to standard output: ${message}`)
})
process.stderr.on('error', () => {})

// The commands of those who run the service: `npm run linchpin -- NAME` in a clone, `linchpin NAME` in a release.
const args = process.argv.slice(2)
const exitCode = await runOperatorCommand(args, {
  env: process.env,
  output: console,
  now: Date.now,
  openOptions,
  loadConfig,
  open: () => openServices(loadConfig(), { ...openOptions, exclusive: false }),
}).catch((error: unknown) => {
  printStartupError(error, findOperatorCommand(args))
  return getExitCode(error)
})
if (exitCode !== 0) process.exitCode = exitCode
