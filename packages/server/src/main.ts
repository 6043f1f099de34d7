import path from 'node:path'
import { writeConsoleAddress } from './app/start/console-code.ts'
import { type Config, listSettings, readEnvironment } from './app/start/environment.ts'
import { getExitCode, printCrash, printStartupError } from './app/start/exit.ts'
import { createOutput, welcome } from './app/start/output.ts'
import { findOwnerTokenFile } from './app/start/owner-token-file.ts'
import { type Service, startService } from './app/start/start-service.ts'
import type { Log } from './platform/http/log.ts'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

// A start has nothing to end: the next one does what this one has not done. Without a handler, the signal would not even
// end process 1 of a container.
const endStart = () => process.exit(0)
for (const signal of STOP_SIGNALS) process.on(signal, endStart)

await main().catch((error) => {
  printStartupError(error)
  process.exit(getExitCode(error))
})

async function main(): Promise<void> {
  const config = readEnvironment(process.env)
  // SQLite writes large sorts to a file. /tmp may be read-only or missing; the data folder cannot be.
  process.env.SQLITE_TMPDIR ??= path.resolve(config.dataDir)
  const { isPretty, log, notice } = createOutput(config)
  const exitOnCrash = (error: unknown): never => {
    printCrash(error, isPretty)
    // Not 78: a crash of a running service is no configuration error, so a supervisor may restart it.
    process.exit(1)
  }
  const service = await startService(config, {
    log,
    onNotice: notice,
    onTokenFile: (file) => notice(`The owner's access token is in ${file}`),
    onFatal: exitOnCrash,
    now: Date.now,
    isPretty,
    settings: listSettings(process.env),
  })
  stopOnSignals(service, { config, log, exitOnCrash })
  const { url, consoleAddress } = service
  if (!isPretty) {
    // Before the line that programs wait for.
    if (consoleAddress?.signsIn)
      notice(await describeConsoleAddress(config.dataDir, consoleAddress.url))
    notice(`Linchpin listens on ${url}`)
    return
  }
  const tokenFile = await findOwnerTokenFile(config.dataDir)
  notice(welcome({ url, consoleAddress, tokenFile, hasTokenSetting: config.token !== undefined }))
}

/** A node with PostgreSQL may have no folder that it can write to: it starts all the same. */
async function describeConsoleAddress(dataDir: string, address: string): Promise<string> {
  const file = await writeConsoleAddress(dataDir, address).catch(() => undefined)
  return file === undefined
    ? 'linchpin console prints an address that signs in to the console'
    : `The address that signs in to the console once, within 15 minutes, is in ${file}`
}

interface StopOptions {
  readonly config: Pick<Config, 'drainDelayMs' | 'drainTimeoutMs'>
  readonly log: Log
  readonly exitOnCrash: (error: unknown) => never
}

function stopOnSignals(service: Service, { config, log, exitOnCrash }: StopOptions): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal ends the process without waiting.
    if (isStopping) process.exit(0)
    isStopping = true
    // A person who presses Ctrl-C does not wait for load balancers.
    const delayMs = signal === 'SIGTERM' ? config.drainDelayMs : 0
    log.info({ signal, delayMs }, 'stopping')
    setTimeout(() => {
      service.cutOff()
      process.exit(0)
    }, delayMs + config.drainTimeoutMs).unref()
    service.stop(delayMs).then(() => process.exit(0), exitOnCrash)
  }
  for (const signal of STOP_SIGNALS) {
    process.off(signal, endStart)
    process.on(signal, stop)
  }
  process.on('uncaughtException', exitOnCrash)
  process.on('unhandledRejection', exitOnCrash)
}
