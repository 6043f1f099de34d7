import { createLog, type Log } from './http/log.ts'
import { readEnvironment } from './start/environment.ts'
import { getExitCode, printCrash, printStartupError } from './start/exit.ts'
import { print } from './start/print.ts'
import { type Service, startService } from './start/start-service.ts'

/** How long what runs may take to finish after SIGTERM, in milliseconds. */
const DRAIN_MS = 9_000

await main().catch((error) => {
  printStartupError(error)
  process.exit(getExitCode(error))
})

async function main(): Promise<void> {
  const config = readEnvironment(process.env)
  const log = createLog(config.logLevel)
  const service = await startService(config, {
    log,
    onNotice: print,
    onToken(token, file) {
      print(`The owner's access token is in ${file}`)
      if (process.stdout.isTTY) console.log(token)
    },
    onFatal: exitOnCrash,
    now: Date.now,
  })
  stopOnSignals(service, log)
  print(`Linchpin listens on ${service.url}`)
}

function stopOnSignals(service: Service, log: Log): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal means: at once.
    if (isStopping) process.exit(0)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(0), DRAIN_MS).unref()
    service.stop().then(() => process.exit(0), exitOnCrash)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('uncaughtException', exitOnCrash)
  process.on('unhandledRejection', exitOnCrash)
}

/** What ran may run again: no failure of a service that listened is one of its settings. */
function exitOnCrash(error: unknown): never {
  printCrash(error)
  process.exit(1)
}
