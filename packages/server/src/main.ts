import { createLog, type Log } from './http/log.ts'
import { readEnvironment } from './start/environment.ts'
import { exitCodeOf, sayCrash, sayWhy } from './start/exit.ts'
import { say } from './start/say.ts'
import { type Service, startService } from './start/start-service.ts'

/** How long what runs may take to finish after SIGTERM, in milliseconds. */
const DRAIN_MS = 9_000

await main().catch((error) => {
  sayWhy(error)
  process.exit(exitCodeOf(error))
})

async function main(): Promise<void> {
  const config = readEnvironment(process.env)
  const log = createLog(config.logLevel)
  const service = await startService(config, {
    log,
    notice: say,
    onToken(token, file) {
      say(`The owner's access token is in ${file}`)
      if (process.stdout.isTTY) console.log(token)
    },
    onFatal: crash,
    now: Date.now,
  })
  stopOnSignals(service, log)
  say(`Linchpin listens on ${service.url}`)
}

function stopOnSignals(service: Service, log: Log): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal means: at once.
    if (isStopping) process.exit(0)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(0), DRAIN_MS).unref()
    service.stop().then(() => process.exit(0), crash)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

/** What ran may run again: no failure of a service that listened is one of its settings. */
function crash(error: unknown): never {
  sayCrash(error)
  process.exit(1)
}
