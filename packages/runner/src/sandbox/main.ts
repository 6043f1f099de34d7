import { readFileSync } from 'node:fs'
import { openChannel } from './channel.ts'
import { Codes } from './codes.ts'
import type { RunningCall } from './engine.ts'
import type { HostMessage } from './messages.ts'
import { QuickJsEngine } from './quickjs-engine.ts'

// A runner child: `node … main.ts <guest script>`, with nothing but a pipe to its host.
const calls = new Map<number, RunningCall>()
const codes = new Codes()
let entered = 0

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

const engine = await QuickJsEngine.create(readFileSync(process.argv[2] ?? '', 'utf8'))
const { send } = openChannel(receive)
send({ type: 'ready' })

function receive(message: HostMessage): void {
  if (message.type === 'run') start(message)
  else if (message.type === 'code') codes.give(message.sha256, message.code)
  else if (message.type === 'response') {
    calls.get(message.call)?.respond(message.request, message.head, message.body)
  } else calls.get(message.call)?.refuse(message.request, message.error)
}

function start({ call, sha256, command, params, limits }: HostMessage & { type: 'run' }): void {
  const code = () => codes.get(sha256, () => send({ type: 'need', sha256, call }))
  const running = engine.start(
    { sha256, command, params, limits, code },
    {
      request: (request, text, body) => send({ type: 'request', call, request, text, body }),
      abort: (request) => send({ type: 'abort', call, request }),
      entering: () => enter(call),
    },
  )
  calls.set(call, running)
  void running.finished.then(({ outcome, logs }) => {
    calls.delete(call)
    send({ type: 'end', call, outcome, logs, rss: process.memoryUsage.rss() })
  })
}

// Not even a lost child is to be blamed on a call that only waited.
function enter(call: number): void {
  if (entered === call) return
  if (entered === 0) setImmediate(rest)
  entered = call
  send({ type: 'enter', call })
}

function rest(): void {
  entered = 0
  send({ type: 'rest' })
}

function crash(error: unknown): void {
  send({ type: 'crash', message: error instanceof Error ? error.message : 'unknown' })
  setTimeout(() => process.exit(1), 20)
}
