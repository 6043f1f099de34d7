import { createLog, type Log } from './http/log.ts'
import { readEnvironment } from './start/environment.ts'
import { exitCodeOf, sayWhy } from './start/exit.ts'
import { ownerTokenFile } from './start/owner-token-file.ts'
import { say } from './start/say.ts'
import { type Service, startService } from './start/start-service.ts'

/** How long what runs may take to finish after SIGTERM, in milliseconds. */
const DRAIN_MS = 9_000

await main().catch(fail)

async function main(): Promise<void> {
  const config = readEnvironment(process.env)
  const log = createLog(config.logLevel)
  const service = await startService(config, {
    log,
    notice: say,
    onFatal: (error) => {
      sayWhy(error)
      process.exit(1)
    },
    now: Date.now,
  })
  stopOnSignals(service, log)
  say(`Linchpin listens on ${service.url}`)
  if (service.madeToken !== undefined) {
    const file = ownerTokenFile(config.dataDir)
    say(`The owner's access token is in ${file}`)
    if (process.stdout.isTTY) console.log(service.madeToken)
  }
}

function stopOnSignals(service: Service, log: Log): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal means: at once.
    if (isStopping) process.exit(0)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(0), DRAIN_MS).unref()
    service.stop().then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

function fail(error: unknown): never {
  sayWhy(error)
  process.exit(exitCodeOf(error))
}
