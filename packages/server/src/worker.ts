import type { Server } from 'node:http'
import { printCrash } from './app/start/exit.ts'
import { createOutput } from './app/start/output.ts'
import type { MessageFromWorker, MessageToWorker, WorkerSettings } from './app/workers/messages.ts'
import { type MainChannel, removeSocketFolder, runWorker } from './app/workers/run-worker.ts'

// The program of a worker: see app/workers/worker-pool.ts. The main process alone reacts to signals, which a terminal and a
// supervisor send to both.
process.on('SIGTERM', () => {})
process.on('SIGINT', () => {})

let receive = (message: MessageToWorker): void => {
  if (message.type === 'stop') process.exit(0)
}
process.on('message', (message: MessageToWorker, socket: Server) => {
  if (message.type === 'ping') answerPing()
  else if (message.type === 'start') void run(message.settings, socket)
  else receive(message)
})

function answerPing(): void {
  const pong: MessageFromWorker = { type: 'pong' }
  process.send?.(pong, undefined, {}, () => {})
}

async function run(settings: WorkerSettings, socket: Server): Promise<void> {
  const { log, isPretty } = createOutput({
    logLevel: settings.logLevel,
    logFormat: settings.isPretty ? 'pretty' : 'json',
  })
  const exitOnCrash = (error: unknown): never => {
    printCrash(error, isPretty)
    process.exit(1)
  }
  process.on('uncaughtException', exitOnCrash)
  process.on('unhandledRejection', exitOnCrash)
  process.on('disconnect', () => {
    removeSocketFolder(settings)
    process.exit(0)
  })
  const channel: MainChannel = {
    send: (message: MessageFromWorker) => void process.send?.(message, undefined, {}, () => {}),
    onMessage(next) {
      receive = next
    },
  }
  await runWorker(settings, socket, { channel, log })
  process.exit(0)
}
